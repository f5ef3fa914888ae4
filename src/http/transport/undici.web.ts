/** This runtime has no undici, so that clients use `fetch`. */
export const modules = undefined

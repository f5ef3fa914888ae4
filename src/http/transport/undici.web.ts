/** This runtime has no undici, so that clients use `fetch`. */
export const loadUndici = undefined

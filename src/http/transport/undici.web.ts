/** This runtime has no undici, so that clients use `fetch`. */
export const loadUndici = undefined
export const loadZlib = undefined

/** This runtime has no `node:http`, so that the emulator cannot listen. */
export const createServer = undefined
export const createTlsServer = undefined

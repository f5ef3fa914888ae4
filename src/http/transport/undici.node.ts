/** Loads undici, with the first call of a program: most programs that import this package never send one. */
export const loadUndici: (() => Promise<typeof import('undici')>) | undefined = () => import('undici')

/** Loads what decompresses a response, which few have to be. */
export const loadZlib: (() => Promise<typeof import('node:zlib')>) | undefined = () => import('node:zlib')

/** What the transport over undici loads: undici with the first call of a program, zlib with the first compressed response. */
export const modules:
  | {
      readonly undici: () => Promise<typeof import('undici')>
      readonly zlib: () => Promise<typeof import('node:zlib')>
    }
  | undefined = { undici: () => import('undici'), zlib: () => import('node:zlib') }

import { Lazy } from '../runtime/lazy.ts'

type Jose = typeof import('jose')

const jose = /* @__PURE__ */ new Lazy<Jose>(() => import('jose'))

/** Loads jose with the first token. The module is kept, because even a repeated `import()` costs microseconds. */
export const loadJose = (): Jose | Promise<Jose> => jose.get()

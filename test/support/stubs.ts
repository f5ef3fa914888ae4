import { afterAll, vi } from 'vitest'

// vitest removes stubs before the next test. The file of that test may load a module before, such as one that asks which
// runtime this is.
afterAll(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

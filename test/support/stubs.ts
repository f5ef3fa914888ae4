import { afterAll, afterEach, vi } from 'vitest'
import { configure } from '../../src/observe/observation.ts'

afterEach(() => configure({}))

// vitest removes stubs before the next test. The file of that test may load a module before, such as one that asks
// which runtime this is.
afterAll(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

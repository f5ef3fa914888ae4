import { afterAll, afterEach, vi } from 'vitest'
import { configure } from '../../src/observe/observation.ts'

afterEach(() => configure({}))

// vitest removes stubs and mocks before the next test. The file of that test may load a module before, such as one that
// asks which runtime this is.
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

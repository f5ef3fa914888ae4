import { beforeEach, vi } from 'vitest'

/** Runs the tests of a file as production does, where errors and logs show nothing that others wrote. */
export function showOnlyOurWords(): void {
  beforeEach(() => {
    vi.stubEnv('SVC_ERROR_DETAIL', 'safe')
  })
}

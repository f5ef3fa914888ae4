import { expect } from 'vitest'

/** Returns what a call throws. Fails the test if the call succeeds. */
export const thrownBy = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  )

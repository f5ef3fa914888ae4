/**
 * Calls a hook of the caller. If it throws, or its promise rejects, only `onThrown` is called, because a call that may
 * have been billed must not fail because of a hook.
 */
export function callHook(hook: () => unknown, onThrown: (thrown: unknown) => void = () => {}): void {
  try {
    const result = hook()
    if (isThenable(result)) Promise.resolve(result).catch(onThrown)
  } catch (thrown) {
    onThrown(thrown)
  }
}

/** Not only promises, because libraries return thenables of their own, which reject as well. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (Object(value) as Partial<PromiseLike<unknown>>).then === 'function'

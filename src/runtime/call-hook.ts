/**
 * Calls a hook of the caller. If it throws, or its promise rejects, only `onThrown` is called, because a call that may
 * have been billed must not fail because of a hook.
 */
export function callHook(hook: () => unknown, onThrown: (thrown: unknown) => void = () => {}): void {
  try {
    const result = hook()
    if (result instanceof Promise) result.catch(onThrown)
  } catch (thrown) {
    onThrown(thrown)
  }
}

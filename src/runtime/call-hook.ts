/**
 * Calls a hook of the caller's. Whatever it throws, or its promise rejects with, reaches `onThrown` alone: a call
 * that may have been billed must not fail for want of a log record.
 */
export function callHook(hook: () => unknown, onThrown: (thrown: unknown) => void = () => {}): void {
  try {
    const result = hook()
    if (result instanceof Promise) result.catch(onThrown)
  } catch (thrown) {
    onThrown(thrown)
  }
}

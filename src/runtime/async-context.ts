/** Runs work in an async context: with what the `AsyncLocalStorage` of the caller contained when it was captured. */
type RunInContext = <Result>(work: () => Result) => Result

/** Captures the async context. If the platform has none, work is called directly. */
export function captureContext(): RunInContext {
  // The edge runtime of Next.js has the function too, and it throws there. It has no versions.
  const hooks = globalThis.process?.versions && process.getBuiltinModule?.('node:async_hooks')
  return hooks ? hooks.AsyncLocalStorage.snapshot() : (work) => work()
}

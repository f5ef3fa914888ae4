interface Listeners {
  readonly all: Set<() => void>
  readonly notify: () => void
}

const bySignal = new WeakMap<AbortSignal, Listeners>()

/**
 * Calls `listener` when the signal aborts. This package adds only one listener to a signal, because one signal may end
 * a hundred calls, and Node 20 warns of a leak at eleven listeners.
 *
 * @returns a function that removes the listener
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = bySignal.get(signal) ?? listenTo(signal)
  listeners.all.add(listener)
  return () => {
    listeners.all.delete(listener)
    if (listeners.all.size > 0 || bySignal.get(signal) !== listeners) return
    bySignal.delete(signal)
    signal.removeEventListener('abort', listeners.notify)
  }
}

function listenTo(signal: AbortSignal): Listeners {
  const all = new Set<() => void>()
  const notify = () => {
    for (const listener of [...all]) listener()
  }
  const listeners = { all, notify }
  bySignal.set(signal, listeners)
  signal.addEventListener('abort', notify)
  return listeners
}

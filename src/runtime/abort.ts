interface Listeners {
  readonly all: Set<() => void>
  readonly tell: () => void
}

const bySignal = new WeakMap<AbortSignal, Listeners>()

/**
 * Calls `listener` when the signal aborts. One signal may well end a hundred calls at once, and Node 20 warns of a
 * leak at eleven listeners: here a signal has one.
 *
 * @returns what ends the listening
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = bySignal.get(signal) ?? listenTo(signal)
  listeners.all.add(listener)
  return () => {
    listeners.all.delete(listener)
    if (listeners.all.size > 0 || bySignal.get(signal) !== listeners) return
    bySignal.delete(signal)
    signal.removeEventListener('abort', listeners.tell)
  }
}

function listenTo(signal: AbortSignal): Listeners {
  const all = new Set<() => void>()
  const tell = () => {
    for (const listener of [...all]) listener()
  }
  const listeners = { all, tell }
  bySignal.set(signal, listeners)
  signal.addEventListener('abort', tell)
  return listeners
}

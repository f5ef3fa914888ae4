/** @typedef {import('identity-service-sdk').Store} Store */

/**
 * A store whose first mark of an event goes wrong for three of four events: it fails, it takes effect and fails, or it
 * never responds.
 *
 * @param {Store} store
 * @returns {Store}
 */
export function withFaultyMarks(store) {
  const seen = new Set()
  return {
    ...store,
    operationTimeoutMs: 500,
    async compareAndSet(key, expected, value, options) {
      const isFirstMark = value === 'done' && !seen.has(key)
      const mark = () => store.compareAndSet(key, expected, value, options)
      if (!isFirstMark) return mark()
      seen.add(key)
      switch (Number(key.slice('webhook:evt_'.length)) % 4) {
        case 1:
          throw new Error('connection refused')
        case 2:
          await mark()
          throw new Error('connection reset')
        case 3:
          return new Promise(() => {})
        default:
          return mark()
      }
    },
  }
}

/** Sets the system clock of this process forward or back every 200 ms, by up to a day. Returns the real time. */
export function jumpClock() {
  const { now } = Date
  let jump = 0
  setInterval(() => {
    jump = (Math.random() - 0.5) * 2 * 86_400_000
  }, 200).unref()
  Date.now = () => now() + jump
  return now
}

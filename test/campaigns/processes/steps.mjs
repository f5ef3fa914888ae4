// Sends this process SIGNAL at the step SIGNAL_AT, for example `after refresh 1`.
const { SIGNAL_AT, SIGNAL = 'SIGKILL' } = process.env
/** @type {Map<string, number>} */
const counts = new Map()

/**
 * The steps so far, in order.
 *
 * @type {string[]}
 */
export const steps = []

/** @param {string} step */
const signalAt = (step) => void (SIGNAL_AT === step && process.kill(process.pid, SIGNAL))

/**
 * Returns the same object with methods that are steps. Steps are numbered: `get 2` is the second call of `get`.
 *
 * @template {object} T
 * @param {T} target
 * @param {string} [prefix]
 * @returns {T}
 */
export function withSteps(target, prefix = '') {
  return new Proxy(target, {
    get(_, property) {
      const member = Reflect.get(target, property)
      // The private members of this package, which are no steps.
      if (typeof property === 'symbol') return member
      const name = prefix + property
      if (name === 'lists') return withSteps(/** @type {object} */ (member), 'lists.')
      // `scan` and `range` return no promise.
      if (typeof member !== 'function' || property === 'scan' || property === 'range') return member
      return async (/** @type {unknown[]} */ ...given) => {
        const n = (counts.get(name) ?? 0) + 1
        counts.set(name, n)
        const step = `${name} ${n}`
        steps.push(step)
        signalAt(`before ${step}`)
        const result = await Reflect.apply(member, target, given)
        signalAt(`after ${step}`)
        return result
      }
    },
  })
}

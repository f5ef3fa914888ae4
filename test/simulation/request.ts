import type { Fault, Option, Process, World } from './world.ts'

/** The faults of every request and response. */
export const transportFaults: readonly Fault[] = [
  'lost request',
  'lost response',
  'failed request',
  'failed response',
  'late request',
  'late response',
]

interface Consequences {
  /** The sender gets an error at once. */
  readonly fail: () => void
  /** It comes later. */
  readonly late: () => void
  /** Something between the service and the sender responds in place of the service. */
  readonly replace?: (() => void) | undefined
  /** It arrives twice. */
  readonly duplicate?: (() => void) | undefined
  readonly lateMs?: number
}

/** The faults of a request or of a response. */
export function lossOf(
  world: World,
  part: 'request' | 'response',
  label: string,
  { fail, late, duplicate, replace, lateMs = world.options.lateMs }: Consequences,
): readonly Option[] {
  const of = part === 'request' ? label : `response to ${label}`
  const options: Option[] = []
  const add = (fault: Fault, text: string, take: () => void) => {
    if (world.options.faults.includes(fault)) options.push({ label: text, fault, take })
  }
  add(`lost ${part}`, `lost: ${of}`, () => {})
  add(`failed ${part}`, `fails: ${of}`, fail)
  add(`late ${part}`, `${lateMs / 1000} s late: ${of}`, late)
  if (replace && part === 'response') add('replaced response', `replaced by another: ${of}`, replace)
  if (duplicate && part === 'request') add('duplicate request', `arrives twice: ${of}`, duplicate)
  return options
}

interface Exchange<Result> {
  readonly label: string
  /** What the service does. May be called twice, if the request is duplicated. */
  readonly serve: () => Result
  readonly show?: (result: Result) => string
  /** How late a late request or response is. @default that of the protocol */
  readonly lateMs?: number
  /** What a proxy may respond in place of the service. */
  readonly proxied?: Result
  /** Whether the request may arrive twice. */
  readonly mayDuplicate?: boolean
  /** The error of a request that was never sent, or whose response was lost. */
  readonly error: (part: 'request' | 'response') => unknown
}

/** Sends a request to the service. It takes effect between the request and the response, unless a fault happens. */
export function exchange<Result>(
  process: Process,
  { label, serve, show = JSON.stringify, error, mayDuplicate = false, ...given }: Exchange<Result>,
): Promise<Result> {
  const { world } = process
  const { lateMs = world.options.lateMs, proxied } = given
  return new Promise((resolve, reject) => {
    const effect = (isCopy = false) => {
      const result = serve()
      world.note('service', `${label} -> ${show(result)}${isCopy ? ' (a copy of the request)' : ''}`)
      if (isCopy) return
      const respond = (at = world.now) =>
        world.hold(process, 'inside', '', () => resolve(result), {
          at,
          content: `${label} ${JSON.stringify(result)}`,
          faults: lossOf(world, 'response', label, {
            fail: () => reject(error('response')),
            lateMs,
            late: () => respond(world.now + lateMs),
            replace: proxied === undefined ? undefined : () => resolve(proxied),
          }),
        })
      respond()
    }
    const request = (at = world.now) =>
      world.hold(process, 'outside', label, () => effect(), {
        at,
        faults: lossOf(world, 'request', label, {
          fail: () => reject(error('request')),
          lateMs,
          late: () => request(world.now + lateMs),
          duplicate: mayDuplicate
            ? () => {
                world.hold(process, 'outside', `${label}, a copy`, () => effect(true), { at: world.now + 1 })
                effect()
              }
            : undefined,
        }),
      })
    request()
  })
}

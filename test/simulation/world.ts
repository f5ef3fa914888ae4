import { onAbort, type Timing } from '../../src/runtime/timing.ts'

/** Time of all simulated wall clocks at the start, in milliseconds since the epoch. */
export const epoch = Date.UTC(2026, 0, 1)

/** What can go wrong. A request that is `late` takes effect after its sender has given up. */
export type Fault =
  | 'crash'
  | 'end'
  | 'pause'
  | 'cut'
  | 'failed callback'
  | 'clock'
  | 'deletion'
  | 'lost request'
  | 'lost response'
  | 'failed request'
  | 'failed response'
  | 'late request'
  | 'late response'
  | 'duplicate request'
  | 'replaced response'
  | 'failover'

/** What may happen next. */
export interface Option {
  readonly label: string
  readonly fault?: Fault
  readonly take: () => void
}

/** Chooses what happens next, by its index. The first option is what happens without a choice. */
export type Choose = (options: readonly Option[], world: World) => number

/** A step that the world holds until it is chosen. */
interface Held {
  /** Whose step it is. */
  readonly process: Process
  /** `outside`: a request on its way, which arrives also if its process stops. `inside`: the process continues. */
  readonly side: 'outside' | 'inside'
  readonly label: string
  /** What a response contains, or the number of a timer, so that two that differ are two states. */
  readonly content: string
  readonly order: number
  /** The earliest time. */
  readonly at: number
  readonly run: () => void
  readonly faults: readonly Option[]
}

export interface WorldOptions {
  /** Faults that may happen. */
  readonly faults: readonly Fault[]
  /** Number of faults that may happen. */
  readonly maxFaults: number
  /** How long a paused process stands still, in milliseconds. */
  readonly pauseMs: number
  /** How late a late request or response is, in milliseconds. */
  readonly lateMs: number
  /** Steps after which a run counts as one that does not settle. */
  readonly maxSteps: number
  /**
   * Whether steps inside a process come first, without a choice between processes. They do not depend on the steps of
   * other processes, so no run is missed: the order in which requests take effect, and every fault, is still a choice.
   */
  readonly reduces: boolean
  /** Turns of the event loop in which everything comes to a step of the world. */
  readonly turns: number
  /** Whether the timeline is kept. */
  readonly records: boolean
}

/** A fault that happened. */
export interface Suffered {
  readonly fault: Fault
  /** The request that it happened to. Empty if it happened to the process. */
  readonly of: string
}

/** A process of the simulation. It runs real code, whose clocks, timers, store and network belong to the world. */
export class Process {
  readonly name: string
  readonly world: World
  isAlive = true
  pausedUntil = 0
  /** Until then, what the process sends to the store is lost. */
  cutUntil = 0
  /** How many timers it has started: tells apart two that end at the same time. */
  timers = 0
  /** How far the wall clock is off, in milliseconds. */
  wallOffset = 0
  /** The faults that this process or its requests have suffered. */
  readonly suffered: Suffered[] = []
  /** Resolves when the process crashes. */
  readonly crashed: Promise<'crashed'>
  readonly timing: Timing
  /** Everything that the process has observed. The code is deterministic, so this determines its state. */
  history = 0
  #crash = (_: 'crashed') => {}
  #ids = 0
  #draws = 0

  constructor(world: World, name: string) {
    this.world = world
    this.name = name
    this.crashed = new Promise((resolve) => {
      this.#crash = resolve
    })
    const timer: Timing['timer'] = (callback, ms) => world.startTimer(this, callback, ms)
    this.timing = {
      // Each process counts from a time of its own, as monotonic clocks do.
      now: () => world.now + 1_000_000 * (1 + name.length),
      wallClock: () => epoch + world.now + this.wallOffset,
      random: () => fraction(`${name} ${++this.#draws}`),
      timer,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve()
          const end = () => {
            cancel()
            stopListening?.()
            resolve()
          }
          const cancel = timer(end, ms)
          const stopListening = signal && onAbort(signal, end)
        }),
    }
  }

  nextId(): string {
    return `${this.name}-${++this.#ids}`
  }

  observe(what: string): void {
    this.history = hash(`${what} ${this.world.now}`, this.history)
  }

  stop(): void {
    this.isAlive = false
    this.#crash('crashed')
  }
}

/** The code of a process. */
type Main = (process: Process) => Promise<void> | void

interface Role {
  readonly name: string
  readonly main: Main
  process: Process
  generation: number
}

/** After a crash, a process starts again after this time. */
const restartMs = 1_000

/**
 * One run of the simulation: processes, the time, and everything that can happen next. Nothing happens by itself: a
 * choice releases each request, response and timer, so that the same choices lead to the same run.
 */
export class World {
  readonly options: WorldOptions
  readonly timeline: string[] = []
  readonly violations: string[] = []
  readonly roles: Role[] = []
  /** Called when a failover happens. */
  onFailover: (() => void) | undefined
  /** Simulated milliseconds since the start. */
  now = 0
  steps = 0
  faults = 0
  /** The faults that have happened. */
  readonly happened: Suffered[] = []
  /** The process whose code runs. */
  #current: Process | undefined
  #held: Held[] = []
  #order = 0

  constructor(options: WorldOptions) {
    this.options = options
  }

  /** Starts a process that may crash, and starts again after it. */
  start(name: string, main: Main): () => Process {
    const role = { name, main, process: new Process(this, name), generation: 1 }
    this.roles.push(role)
    this.hold(role.process, 'inside', 'starts', () => this.#begin(role))
    return () => role.process
  }

  /** Creates a process that no fault hits: a person, or the service that sends webhooks. */
  outsider(name: string): Process {
    return new Process(this, name)
  }

  /** Holds a step until it is chosen. */
  hold(
    process: Process,
    side: Held['side'],
    label: string,
    run: () => void,
    { at = this.now, faults = [], content = '' }: { at?: number; faults?: readonly Option[]; content?: string } = {},
  ): void {
    // What a process sends after its end is never sent.
    if (!process.isAlive && side === 'inside') return
    this.#held.push({ process, side, label, content, run, at, faults, order: ++this.#order })
  }

  /** Resolves when the step is chosen. */
  step(process: Process, label: string): Promise<void> {
    return new Promise((resolve) => this.hold(process, 'inside', label, resolve))
  }

  /** Resolves when the step is chosen, or rejects if the code of the application fails. */
  callback(process: Process, label: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const throws: Option = {
        label: `${label}: it throws`,
        fault: 'failed callback',
        take: () => reject(new Error('the callback failed')),
      }
      this.hold(process, 'inside', label, resolve, { faults: [throws] })
    })
  }

  startTimer(process: Process, callback: () => void, ms: number): () => void {
    const timer: Held = {
      process,
      side: 'inside',
      label: '',
      content: `${++process.timers}`,
      run: callback,
      at: this.now + Math.max(0, ms),
      faults: [],
      order: ++this.#order,
    }
    if (process.isAlive) this.#held.push(timer)
    return () => this.#remove(timer)
  }

  note(who: Process | string, text: string, mark = ' '): void {
    if (!this.options.records) return
    const name = typeof who === 'string' ? who : who.name
    const seconds = (this.now / 1000).toFixed(3).padStart(9)
    this.timeline.push(`${seconds} s ${mark} ${name.padEnd(7)} ${text}`)
  }

  /** Records that an invariant does not hold. */
  violate(text: string): void {
    this.violations.push(text)
    this.note('', `VIOLATION: ${text}`, '!')
  }

  /** Returns an id that depends only on what the process has done, in place of a random one. */
  nextId(): string {
    return this.#current?.nextId() ?? `id-${++this.#order}`
  }

  /** Whether a fault of a kind may happen. */
  allows(fault: Fault): boolean {
    return this.faults < this.options.maxFaults && this.options.faults.includes(fault)
  }

  /** Records that a fault happens to a process. */
  suffer(fault: Fault, process?: Process, of = ''): void {
    this.faults++
    this.happened.push({ fault, of })
    process?.suffered.push({ fault, of })
  }

  /** Runs until nothing is left to happen, or an invariant does not hold. */
  async run(choose: Choose): Promise<void> {
    await this.#drain()
    while (this.violations.length === 0) {
      const ready = this.#ready()
      if (ready === undefined) return
      if (++this.steps > this.options.maxSteps) {
        this.violate(`does not settle within ${this.options.maxSteps} steps`)
        return
      }
      const options = [...ready.map((held) => this.#release(held)), ...this.#faults(ready)]
      const chosen = options.length === 1 ? 0 : choose(options, this)
      options[chosen]?.take()
      await this.#drain()
      this.#current = undefined
    }
  }

  /** Everything that determines what can happen from here on, except for what the scenario adds. */
  state(): string {
    const held = this.#held.map(
      ({ process, side, label, content, at }) =>
        `${process.name}|${side}|${label}|${content}|${Math.max(at, this.now)}`,
    )
    const processes = this.roles.map(
      ({ process }) =>
        `${process.name} ${process.history} ${process.pausedUntil} ${process.cutUntil} ${process.wallOffset} ${process.suffered.map(({ fault, of }) => `${fault} ${of}`).join()}`,
    )
    return `${this.now}\n${this.faults}\n${held.sort().join('\n')}\n${processes.join('\n')}`
  }

  /** Ends a process, which starts again. */
  crash(name: string): void {
    for (const role of this.roles) if (role.name === name && role.process.isAlive) this.#crash(role)
  }

  /** Number of timers and requests that are held. */
  get pending(): number {
    return this.#held.length
  }

  /** Returns what may be released now. Moves the clock if nothing may. `undefined`: nothing is left. */
  #ready(): readonly Held[] | undefined {
    if (this.#held.length === 0) return undefined
    const times = this.#held.map((held) => this.#timeOf(held))
    const next = Math.min(...times)
    if (next > this.now) this.now = next
    const ready = this.#held.filter((_, i) => (times[i] as number) <= this.now).sort((a, b) => a.order - b.order)
    const inside = this.options.reduces ? ready.find(({ side }) => side === 'inside') : undefined
    return inside ? ready.filter((held) => held.side === 'inside' && held.process === inside.process) : ready
  }

  #timeOf({ process, side, at }: Held): number {
    return side === 'outside' ? at : Math.max(at, process.pausedUntil)
  }

  #release(held: Held): Option {
    const { process, label, content, run } = held
    return {
      label: `${process.name} ${label || 'timer'}`,
      take: () => {
        this.#remove(held)
        if (label !== '' && held.side === 'inside') this.note(process, label)
        if (held.side === 'inside') process.observe(`${label} ${content}`)
        this.#runAs(process, run)
      },
    }
  }

  #faults(ready: readonly Held[]): readonly Option[] {
    if (this.faults >= this.options.maxFaults) return []
    const ofSteps = ready.flatMap((held) =>
      held.faults
        .filter(({ fault }) => fault === undefined || this.allows(fault))
        .map(({ label, fault, take }) => ({
          label: `${held.process.name} ${label}`,
          ...(fault && { fault }),
          take: () => {
            this.#remove(held)
            if (fault) this.suffer(fault, held.process, label)
            held.process.observe(label)
            this.note(held.process, label, '!')
            this.#runAs(held.process, take)
          },
        })),
    )
    const [first] = ready
    const roles =
      this.options.reduces && first?.side === 'inside'
        ? this.roles.filter(({ process }) => process === first.process)
        : this.roles
    return [...roles.flatMap((role) => this.#faultsOf(role)), ...ofSteps, ...this.#failover()]
  }

  #faultsOf(role: Role): readonly Option[] {
    const { process } = role
    const { pauseMs } = this.options
    if (!process.isAlive || process.pausedUntil > this.now) return []
    const options: Option[] = []
    const add = (fault: Fault, label: string, happen: () => void) => {
      if (!this.allows(fault)) return
      const take = () => {
        this.suffer(fault, process)
        this.note(process, label, '!')
        happen()
      }
      options.push({ label: `${process.name} ${label}`, fault, take })
    }
    const sent = this.#held.filter((held) => held.process === process && held.side === 'outside')
    add('crash', sent.length > 0 ? 'crashes, and what it sent arrives' : 'crashes', () => this.#crash(role))
    if (sent.length > 0)
      add('crash', 'crashes, and what it sent is lost', () => {
        for (const held of sent) this.#remove(held)
        this.#crash(role)
      })
    // As on Workers: the request has ended, so none of its promises settles, and none of its timers fires.
    add('end', 'never continues', () => this.#end(role))
    add('pause', `stands still for ${pauseMs / 1000} s`, () => {
      process.pausedUntil = this.now + pauseMs
    })
    add('cut', `cannot reach the store for ${pauseMs / 1000} s`, () => {
      process.cutUntil = this.now + pauseMs
    })
    for (const hours of [1, -1])
      add('clock', `its wall clock is set ${hours > 0 ? 'forward' : 'back'} by an hour`, () => {
        process.wallOffset += hours * 3_600_000
        // What the process reads from its clock before and after this differs.
        process.observe(`clock ${hours}`)
      })
    return options
  }

  #failover(): readonly Option[] {
    const { onFailover } = this
    if (onFailover === undefined || !this.allows('failover')) return []
    const take = () => {
      this.suffer('failover')
      this.note('store', 'fails over, and loses the last write', '!')
      onFailover()
    }
    return [{ label: 'failover', fault: 'failover', take }]
  }

  #end({ process }: Role): void {
    this.#held = this.#held.filter((held) => held.process !== process || held.side === 'outside')
    process.stop()
  }

  #crash(role: Role): void {
    const { process } = role
    this.#end(role)
    const name = `${role.name}${"'".repeat(role.generation++)}`
    const next = new Process(this, name)
    next.suffered.push(...process.suffered)
    this.startTimer(
      next,
      () => {
        role.process = next
        this.note(next, 'starts')
        this.#begin(role)
      },
      restartMs,
    )
  }

  #begin({ process, main }: Role): void {
    const failed = (error: unknown) =>
      this.violate(`${process.name} failed: ${error instanceof Error ? error.stack : String(error)}`)
    // Asynchronous, because its code may also throw at once.
    Promise.resolve(process).then(main).catch(failed)
  }

  #runAs(process: Process, run: () => void): void {
    this.#current = process
    run()
  }

  /** Waits until all that was started has come to a step. Node runs all microtasks before an immediate. */
  async #drain(): Promise<void> {
    for (let turn = 0; turn < this.options.turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  #remove(held: Held): void {
    const index = this.#held.indexOf(held)
    if (index >= 0) this.#held.splice(index, 1)
  }
}

/** A hash of 53 bits. */
export function hash(text: string, seed = 0): number {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ Math.floor(seed / 2 ** 32)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0)
}

const fraction = (text: string) => (hash(text) % 1_000) / 1_000

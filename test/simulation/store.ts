import type { ListEntry, ListingStore } from '../../src/stores/store.ts'
import { lossOf } from './request.ts'
import type { Process, World } from './world.ts'

interface Entry {
  readonly value: string
  readonly expiresAt: number
}

/** A write of the store, as its engine saw it. */
export interface Write {
  readonly process: Process
  readonly key: string
  readonly before: string | null
  readonly after: string | null
}

/** What a store contains. Its times are those of the world. */
export class StoreData {
  readonly #world: World
  #entries = new Map<string, Entry>()
  #lists = new Map<string, Map<string, number>>()
  /** The content before the last write, which a failover restores. */
  #previous: { entries: Map<string, Entry>; lists: Map<string, Map<string, number>> } | undefined
  readonly onWrite: ((write: Write) => void)[] = []
  /** Shortens a value for the timeline. */
  show: (value: string) => string = (value) => value

  constructor(world: World) {
    this.#world = world
    if (!world.options.faults.includes('failover')) return
    world.onFailover = () => {
      if (this.#previous) ({ entries: this.#entries, lists: this.#lists } = this.#previous)
      this.#previous = undefined
    }
  }

  read(key: string): string | null {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.expiresAt > this.#world.now ? entry.value : null
  }

  write(process: Process, key: string, value: string | null, ttlMs = Number.POSITIVE_INFINITY): void {
    const before = this.read(key)
    if (this.#world.onFailover) {
      const lists = new Map([...this.#lists].map(([list, keys]) => [list, new Map(keys)]))
      this.#previous = { entries: new Map(this.#entries), lists }
    }
    if (value === null) this.#entries.delete(key)
    else this.#entries.set(key, { value, expiresAt: this.#world.now + ttlMs })
    for (const listener of this.onWrite) listener({ process, key, before, after: value })
  }

  place(key: string, from: string | undefined, to: { list?: string | undefined; at?: number | undefined }) {
    if (from !== undefined) this.#lists.get(from)?.delete(key)
    if (to.list === undefined) return
    const list = this.#lists.get(to.list) ?? new Map<string, number>()
    list.set(key, to.at ?? 0)
    this.#lists.set(to.list, list)
  }

  keys(prefix = ''): string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix) && this.read(key) !== null)
  }

  entriesOf(list: string): ListEntry[] {
    const entries = [...(this.#lists.get(list) ?? [])].map(([key, at]) => ({ key, at }))
    return entries.sort((a, b) => a.at - b.at)
  }

  /** The lists that a key is in. */
  listsOf(key: string): string[] {
    return [...this.#lists].filter(([, keys]) => keys.has(key)).map(([list]) => list)
  }

  /** Everything that an operation can find out. */
  state(): string {
    const entries = this.keys()
      .sort()
      .map((key) => `${key}=${this.read(key)}@${this.#entries.get(key)?.expiresAt}`)
    const ofLists = (lists: Map<string, Map<string, number>>) =>
      [...lists].map(([list, keys]) => `${list}:${[...keys].sort().join()}`).sort()
    const before = this.#previous
    const previous = before && [JSON.stringify([...before.entries]), ...ofLists(before.lists)]
    return [...entries, ...ofLists(this.#lists), ...(previous ?? [])].join('\n')
  }
}

/**
 * The store as a process sees it: each operation is a request, an effect and a response, between which anything
 * happens.
 */
export function simulatedStore(data: StoreData, process: Process): ListingStore {
  const { world } = process
  const run = <Result>(label: string, apply: () => Result): Promise<Result> =>
    new Promise((resolve, reject) => {
      const fail = (text: string) => reject(new Error(`connection reset: ${text}`))
      const effect = () => {
        const result = apply()
        const shown = typeof result === 'string' ? data.show(result) : JSON.stringify(result)
        world.note(process, `store: ${label} -> ${shown}`)
        const respond = (at = world.now) =>
          world.hold(process, 'inside', '', () => resolve(result), {
            at,
            content: `${label} ${JSON.stringify(result)}`,
            faults: lossOf(world, 'response', label, {
              fail: () => fail(label),
              late: () => respond(world.now + world.options.lateMs),
            }),
          })
        respond()
      }
      const request = (at = world.now) => {
        if (world.now < process.cutUntil) return
        world.hold(process, 'outside', label, effect, {
          at,
          faults: lossOf(world, 'request', label, {
            fail: () => fail(label),
            late: () => request(world.now + world.options.lateMs),
          }),
        })
      }
      request()
    })

  const { show } = { show: (value: string | null) => (value === null ? 'nothing' : data.show(value)) }
  const forMs = (ttlMs: number | undefined) => (ttlMs === undefined ? '' : ` for ${ttlMs / 1000} s`)
  return {
    get: (key) => run(`get ${key}`, () => data.read(key)),
    set: (key, value, { ttlMs, ifAbsent = false } = {}) =>
      run(`set ${key} = ${show(value)}${forMs(ttlMs)}${ifAbsent ? ' if absent' : ''}`, () => {
        if (ifAbsent && data.read(key) !== null) return false
        data.write(process, key, value, ttlMs)
        return true
      }),
    compareAndSet: (key, expected, value, { ttlMs } = {}) =>
      run(`set ${key} = ${show(value)}${forMs(ttlMs)} if it is ${show(expected)}`, () => {
        if (data.read(key) !== expected) return false
        data.write(process, key, value, ttlMs)
        return true
      }),
    take: (key) =>
      run(`take ${key}`, () => {
        const value = data.read(key)
        data.write(process, key, null)
        return value
      }),
    delete: (key) =>
      run(`delete ${key}`, () => {
        const was = data.read(key) !== null
        data.write(process, key, null)
        return was
      }),
    compareAndDelete: (key, expected) =>
      run(`delete ${key} if it is ${show(expected)}`, () => {
        if (data.read(key) !== expected) return false
        data.write(process, key, null)
        return true
      }),
    async *scan(prefix) {
      yield* await run(`scan ${prefix}`, () => data.keys(prefix))
    },
    lists: {
      replace: (key, from, to) =>
        run(`replace ${key} = ${show(to.value)} in ${to.list ?? 'no list'} if it is ${show(from.value)}`, () => {
          if (data.read(key) !== from.value) return false
          data.place(key, from.list, to)
          data.write(process, key, to.value)
          return true
        }),
      async *range(list, { before = Number.POSITIVE_INFINITY } = {}) {
        yield* await run(`range ${list}`, () => data.entriesOf(list).filter(({ at }) => at < before))
      },
      count: (list) => run(`count ${list}`, () => data.entriesOf(list).length),
    },
  }
}

import { inboxStatements } from '../../src/stores/postgres/statements.ts'
import { lossOf } from './request.ts'
import type { Option, Process, World } from './world.ts'

const sql = inboxStatements()

/** How a row records an event: as the transaction inserted it, and whether it may be committed. */
interface Row {
  readonly key: string
  uncommitted: string | null
}

/** A statement that waits for the end of another transaction. */
interface Waiter {
  readonly session: Session
  /** Calls `insert` again, because the other transaction has ended. */
  readonly resume: () => void
}

/** The rows that are committed: events, and what their callbacks wrote. */
export class Database {
  readonly #world: World
  readonly events = new Set<string>()
  readonly effects: string[] = []
  readonly sessions = new Set<Session>()
  #waiters: Waiter[] = []
  onCommit = () => {}

  constructor(world: World) {
    this.#world = world
  }

  /** The transaction that has inserted a row which is not committed. */
  holderOf(key: string): Session | undefined {
    return [...this.sessions].find(({ row }) => row?.key === key)
  }

  wait(waiter: Waiter): () => void {
    this.#waiters.push(waiter)
    return () => {
      this.#waiters = this.#waiters.filter((one) => one !== waiter)
    }
  }

  /** Ends the transaction of a session, and lets those continue that wait for it. */
  end(session: Session, commits: boolean): void {
    const { row, effects } = session
    session.row = undefined
    session.effects = []
    session.isOpen = false
    if (commits && row) this.events.add(row.key)
    if (commits) this.effects.push(...effects)
    const waiting = this.#waiters
    this.#waiters = []
    for (const { session: other, resume } of waiting)
      if (this.sessions.has(other)) this.#world.hold(other.process, 'outside', 'continues', resume)
    if (commits) this.onCommit()
  }

  state(): string {
    const sessions = [...this.sessions].map(
      ({ process, isOpen, row, effects, lateUntil }) =>
        `${process.name} ${isOpen} ${row?.key} ${row?.uncommitted} ${effects.join()} ${lateUntil}`,
    )
    return `${[...this.events].join()} ${this.effects.join()}\n${sessions.sort().join('\n')}\n${this.#waiters.map(({ session }) => session.process.name).join()}`
  }
}

type Rows = { rows: unknown[] }

/** A connection of a process to the database, as `pg` gives it. */
export class Session {
  readonly process: Process
  readonly #database: Database
  readonly #listeners = new Set<(error: unknown) => void>()
  /** Whether a transaction is open. */
  isOpen = false
  row: Row | undefined
  effects: string[] = []
  /** Until then, something is on its way, and the end of the connection comes after it. */
  lateUntil = 0
  #lockMs = 0

  constructor(database: Database, process: Process) {
    this.#database = database
    this.process = process
    database.sessions.add(this)
    void process.crashed.then(() => this.#close('its process has ended'))
  }

  on(_: 'error', listener: (error: unknown) => void): void {
    this.#listeners.add(listener)
  }

  off(_: 'error', listener: (error: unknown) => void): void {
    this.#listeners.delete(listener)
  }

  release(destroy = false): void {
    if (destroy) this.#close('its process has closed it')
    else if (this.isOpen) this.process.world.violate('a connection goes back to the pool within a transaction')
    else this.#database.sessions.delete(this)
  }

  /**
   * The fault that the connection is lost while no statement runs. An event tells the process.
   *
   * @param onNoticed called after the listeners of the event
   */
  loss(onNoticed: (error: Error) => void): Option {
    const { world } = this.process
    return {
      label: 'the connection is lost',
      fault: 'lost connection',
      take: () => {
        this.#end()
        world.hold(this.process, 'inside', 'notices that its connection is lost', () => {
          for (const listener of this.#listeners) listener(lost())
          onNoticed(lost())
        })
      },
    }
  }

  query(text: string, values: readonly unknown[] = []): Promise<unknown> {
    const { process } = this
    const { world } = process
    const label = labelOf(text)
    return new Promise((resolve, reject) => {
      const respond = (result: unknown, error?: Error, at = world.now): void => {
        const content = `${label} ${JSON.stringify(result)} ${error?.message}`
        const settle = () => {
          if (error) reject(error)
          else resolve(result)
        }
        const faults = lossOf(world, 'response', label, {
          fail: () => {
            this.#end()
            reject(lost())
          },
          late: () => respond(result, error, world.now + world.options.lateMs),
        })
        world.hold(process, 'inside', '', settle, { at, faults, content })
      }
      const effect = () => {
        // A connection that has ended does nothing. Its process learns this at once, or by its own time limit.
        if (!this.#database.sessions.has(this)) {
          respond(undefined, lost())
          return
        }
        this.#run(text, values, (result, error) => {
          world.note(process, `database: ${label} -> ${error?.message ?? JSON.stringify(result)}`)
          respond(result, error)
        })
      }
      const request = (at = world.now) => {
        if (world.now < process.cutUntil) return
        const faults = lossOf(world, 'request', label, {
          fail: () => {
            this.#end()
            reject(lost())
          },
          late: () => {
            this.lateUntil = world.now + world.options.lateMs
            request(this.lateUntil)
          },
        })
        world.hold(process, 'outside', label, effect, { at, faults })
      }
      request()
    })
  }

  #run(text: string, values: readonly unknown[], done: (result: unknown, error?: Error) => void): void {
    const [key, , token] = values.map(String)
    if (text.startsWith('BEGIN')) {
      this.isOpen = true
      this.#lockMs = Number(/lock_timeout = (\d+)$/.exec(text)?.[1])
      done([{}, { rows: [{ value: '0' }] }, {}])
    } else if (text === sql.insert) this.#insert(String(key), String(token), done)
    else if (text === sql.permitCommit) {
      const isOwn = this.row?.key === key && this.row?.uncommitted === String(values[1])
      if (isOwn && this.row) this.row.uncommitted = null
      done(rows(isOwn))
    } else if (text === effectText) {
      this.effects.push(String(key))
      done(rows(true))
    } else {
      const commits = text === 'COMMIT' && this.row?.uncommitted === null
      this.#database.end(this, commits)
      done({ rows: [] })
    }
  }

  /** Inserts the row, or waits for the end of the transaction that has inserted it. */
  #insert(key: string, token: string, done: (result: Rows | undefined, error?: Error) => void): void {
    const database = this.#database
    const { world } = this.process
    if (database.events.has(key)) {
      done(rows(false))
      return
    }
    if (database.holderOf(key) === undefined) {
      this.row = { key, uncommitted: token }
      done(rows(true))
      return
    }
    let isWaiting = true
    const stopWaiting = database.wait({
      session: this,
      resume: () => {
        isWaiting = false
        this.#insert(key, token, done)
      },
    })
    // A timer of the database, which goes on if the process stands still.
    const expire = () => {
      if (!isWaiting || !database.sessions.has(this)) return
      stopWaiting()
      done(undefined, Object.assign(new Error('lock timeout'), { code: '55P03' }))
    }
    world.hold(this.process, 'outside', 'lock timeout', expire, { at: world.now + this.#lockMs })
  }

  /** The connection ends when the database learns of it, after what is on its way. */
  #close(why: string): void {
    if (!this.#database.sessions.has(this)) return
    const { world } = this.process
    const close = () => {
      world.note('database', `the connection of ${this.process.name} ends: ${why}`)
      this.#end()
    }
    world.hold(this.process, 'outside', 'end of the connection', close, {
      at: Math.max(world.now, this.lateUntil),
    })
  }

  /** The database rolls back what is open. */
  #end(): void {
    this.#database.sessions.delete(this)
    this.#database.end(this, false)
  }
}

/** The statement of a callback. */
export const effectText = 'INSERT INTO effects (event_id) VALUES ($1)'

const rows = (isFound: boolean): Rows => ({ rows: isFound ? [{}] : [] })

const lost = () => new Error('Connection terminated unexpectedly')

const labelOf = (text: string): string =>
  ({
    [sql.insert]: 'INSERT the event',
    [sql.permitCommit]: 'permit COMMIT',
    [effectText]: 'INSERT the effect',
  })[text] ?? (text.split(';')[0] as string)

/** The pool of a process. */
export const simulatedPool = (database: Database, process: Process) => ({
  totalCount: 0,
  connect: async () => new Session(database, process),
  query: async () => ({ rows: [] }),
})

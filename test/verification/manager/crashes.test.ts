import { expect, it } from 'vitest'
import type { VerificationManager } from '../../../src/index.ts'
import { steppedStore } from '../../support/counting-store.ts'
import { collect, eventFor, hourMs, managed, recordKey, subject } from './managed.ts'

type Made = ReturnType<typeof managed>

interface Scenario {
  /** Brings the person into the state before. Returns the id of the session. */
  readonly before: (made: Made) => Promise<string>
  /** What the process does that is killed. */
  readonly run: (verifications: VerificationManager, made: Made, id: string) => Promise<unknown>
  /** The states that `onChange` must have been called with in the end, whoever called it. */
  readonly reported: readonly string[]
}

const approvedAtService = async (made: Made) => {
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'APPROVED')
  return id
}

const scenarios: Readonly<Record<string, Scenario>> = {
  start: {
    before: async () => '',
    run: (verifications) => verifications.start(subject),
    reported: ['none > open'],
  },
  handle: {
    before: approvedAtService,
    run: (verifications, _, id) => verifications.handle(eventFor(id)),
    reported: ['none > open', 'open > approved'],
  },
  reconcile: {
    before: async (made) => {
      const id = await approvedAtService(made)
      made.passTime(hourMs / 2)
      return id
    },
    run: async (verifications) => verifications.reconcile(),
    reported: ['none > open', 'open > approved'],
  },
  'take-over': {
    before: async (made) => {
      made.emulator.faults.add({ match: 'sessions.create', reset: true, when: 'after' })
      await made.started().catch(() => {})
      return ''
    },
    run: (verifications) => verifications.start(subject),
    reported: ['none > open'],
  },
  forget: {
    before: (made) => made.started(),
    run: (verifications) => verifications.forget(subject),
    reported: ['none > open'],
  },
}

/** Runs a scenario in a process that is killed at an operation of the store, counted from 1. Returns its name. */
async function crash(made: Made, { run }: Scenario, id: string, at: number, when: 'before' | 'after') {
  let count = 0
  let isKilled = false
  return new Promise<string | undefined>((resolve, reject) => {
    const kill = (name: string) => {
      isKilled = true
      resolve(name)
      return new Promise<never>(() => {})
    }
    const store = steppedStore(made.store, async (name, operation) => {
      if (isKilled) return new Promise<never>(() => {})
      const isLast = ++count === at
      if (isLast && when === 'before') return kill(name)
      const result = await operation()
      return isLast ? kill(name) : result
    })
    run(made.manager({ store }), made, id).then(() => resolve(undefined), reject)
  })
}

/** The pending people who are in no list of their state. */
async function missing({ manager, store }: Made): Promise<string[]> {
  if ((await store.get(recordKey)) === null) return []
  const { state } = await manager().get(subject)
  if (state !== 'starting' && state !== 'open' && state !== 'in_review') return []
  const listed = await collect(manager().list({ state }))
  return listed.some((one) => one.subject === subject) ? [] : [state]
}

it.each(Object.entries(scenarios))(
  'killed before or after any operation of %s, a pending verification is listed, and reconcile repairs the rest',
  async (name, scenario) => {
    const table: string[] = []
    for (let at = 1, reached = true; reached; at++) {
      for (const when of ['before', 'after'] as const) {
        const made = managed()
        const id = await scenario.before(made)
        const operation = await crash(made, scenario, id, at, when)
        reached = operation !== undefined
        if (operation === undefined) break
        const left = await made.record()
        expect(await missing(made), `${when} ${at} ${operation}`).toEqual([])

        made.passTime(hourMs / 3)
        const repaired = await made.manager().reconcile()
        expect(repaired.failed).toBe(0)
        expect(await missing(made)).toEqual([])
        // A start that created nothing is repaired by the next start, and what was forgotten stays so.
        const { state } = await made.manager().get(subject)
        if (name !== 'forget') await made.manager().start(subject)
        expect([...new Set(made.transitions())], `${when} ${at} ${operation}`).toEqual(scenario.reported)
        table.push(`${when} ${at} ${operation}: left ${stateOf(left)}, then ${state}`)
      }
    }
    expect(table).toMatchSnapshot()
  },
)

/** What a record says of its state, for the table. */
function stateOf(record: { start: object | null; sessions: { state: string }[]; changes: object[] } | null) {
  if (record === null) return 'none'
  const state = record.start ? 'starting' : record.sessions.at(-1)?.state
  return record.changes.length === 0 ? state : `${state} with a change to deliver`
}

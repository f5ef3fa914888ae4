import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  decodeRecord,
  encodeRecord,
  noRecord,
  stateOf,
  type VerificationRecord,
} from '../../../src/verification/manager/record.ts'
import {
  addSession,
  applyFacts,
  beginStart,
  cancelStart,
  noteReview,
  type Transition,
} from '../../../src/verification/manager/transitions.ts'

const at = '2026-01-01T00:00:00.000Z'
const created = (id: string) => ({
  id,
  url: `https://id.example.test/s/${id}`,
  expiresAt: '2026-01-01T01:00:00Z',
})
const ids = ['sess_0', 'sess_1', 'sess_2']
const states = ['open', 'in_review', 'ended', 'declined', 'approved'] as const

const apply = (record: VerificationRecord, transitions: readonly Transition[]) =>
  transitions.reduce((before, transition) => transition(before), record)
const sent = { workflow: 'wf_1', redirectDigest: null }
const begin = (run: string, time = at) => beginStart(run, time, sent)
const added =
  (id: string, keep: number): Transition =>
  (record) =>
    addSession({ created: created(id), recordId: record.id, workflow: 'wf_1', createdAt: at, at, keep })(
      record,
    )
const starting = (id: string) => [begin(`run_${id}`), added(id, 100)]
const started = apply(noRecord, ids.flatMap(starting))

const fact = fc.record({ id: fc.constantFrom(...ids), state: fc.constantFrom(...states) })
const factOf = ({ id, state }: { id: string; state: (typeof states)[number] }) =>
  applyFacts(id, { state, decidedAt: null, checks: [] }, at)

it('facts of sessions lead to the same states of the sessions, in whatever order they arrive', () => {
  const statesAfter = (facts: readonly Transition[]) =>
    apply(started, facts).sessions.map(({ state }) => state)
  const shuffled = fc
    .array(fact, { maxLength: 12 })
    .chain((facts) => fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })))

  fc.assert(
    fc.property(shuffled, ([facts, others]) => {
      expect(statesAfter(others.map(factOf))).toEqual(statesAfter(facts.map(factOf)))
    }),
  )
})

it('no facts downgrade an approval, and only starts and approvals change which session counts', () => {
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 30 }), (facts) => {
      let record = started
      for (const one of facts) {
        const next = factOf(one)(record)
        if (stateOf(record) === 'approved') expect(stateOf(next)).toBe('approved')
        if (stateOf(next) !== 'approved') expect(next.current).toBe('sess_2')
        record = next
      }
      expect(stateOf(record) === 'approved').toBe(record.sessions.some(({ state }) => state === 'approved'))
    }),
  )
})

it('a session has each state once in the history', () => {
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 30 }), (facts) => {
      const { history } = apply(started, facts.map(factOf))
      const keys = history.map(({ sessionId, state }) => `${sessionId} ${state}`)
      expect(new Set(keys).size).toBe(keys.length)
    }),
  )
})

it('every record that transitions make can be stored and read', () => {
  const step = fc.oneof(
    fact.map(factOf),
    fc.constantFrom(...ids).map((id) => begin(`run_${id}`)),
    fc.constantFrom(...ids).map((id) => cancelStart(`run_${id}`)),
    fc.constantFrom(...ids).map((id) => added(id, 2)),
    fc
      .record({ by: fc.string(), reason: fc.string() })
      .map((note) => noteReview('sess_1', 'declined', at, note)),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const record = apply(noRecord, steps)
      const text = encodeRecord(record)
      expect(decodeRecord(text)).toEqual(text === null ? noRecord : record)
      if (record.current !== null) expect(record.sessions.map(({ id }) => id)).toContain(record.current)
    }),
  )
})

it('a start that is taken over and canceled restores the record before the first one', () => {
  const again = [begin('run_a', '2026-01-02T00:00:00Z'), begin('run_b', '2026-01-03T00:00:00Z')]

  expect(apply(started, [...again, cancelStart('run_a')]).start).toMatchObject({ run: 'run_b' })
  expect(apply(started, [...again, cancelStart('run_b')])).toEqual(started)
})

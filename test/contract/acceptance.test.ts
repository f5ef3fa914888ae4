import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod/mini'
import { acceptance } from '../../src/contract/schema/acceptance.ts'
import { ruled } from '../../src/contract/schema/rules.ts'
import { webhookEvent } from '../../src/contract/webhooks/events.ts'
import { anEvent } from '../support/webhook.ts'

const text = fc.oneof(fc.string(), fc.constantFrom('APPROVED', 'DECLINED', 'IN_REVIEW'))
const leaf = fc.oneof(text, fc.double(), fc.boolean(), fc.constantFrom(null, undefined), fc.anything())
const data = fc.record(
  {
    fields: fc.oneof(leaf, fc.dictionary(fc.constantFrom('full_name', 'country', 'x'), leaf)),
    bands: leaf,
    live_score: leaf,
  },
  { requiredKeys: [] },
)
const check = fc.record(
  {
    type: fc.oneof(leaf, fc.constantFrom('id_verification', 'liveness', 'age', 'toString', '__proto__')),
    status: leaf,
    score: leaf,
    data: fc.oneof(leaf, data),
    error: fc.oneof(leaf, fc.record({ message: leaf })),
  },
  { requiredKeys: ['type', 'status', 'data'] },
)
const decision = fc.record(
  { status: leaf, decision: leaf, decided_at: leaf, checks: fc.oneof(leaf, fc.array(fc.oneof(leaf, check))) },
  { requiredKeys: [] },
)
const event = fc.record(
  {
    event_id: fc.oneof(text, leaf),
    type: fc.oneof(text, leaf),
    session_id: fc.oneof(text, leaf),
    status: leaf,
    decision: fc.oneof(leaf, decision),
    test: leaf,
    later: leaf,
  },
  { requiredKeys: ['event_id', 'type', 'session_id'] },
)

it('what is called a usual event, its schema accepts', () => {
  fc.assert(
    fc.property(fc.oneof(event, fc.anything()), (value) => {
      if (webhookEvent.accepts(value)) expect(webhookEvent.issues(value)).toEqual([])
    }),
    { numRuns: 3000 },
  )
})

it('one wrong field anywhere keeps an event from being called usual', () => {
  const right = {
    ...anEvent(),
    decision: {
      status: 'APPROVED',
      decision: 'APPROVED',
      decided_at: null,
      checks: [
        { type: 'liveness', status: 'passed', score: 1, data: { live_score: 1 }, error: { message: 'm' } },
      ],
    },
  }
  expect(webhookEvent.accepts(right)).toBe(true)
  const places = (value: unknown): string[][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => [
          [name],
          ...places(inner).map((rest) => [name, ...rest]),
        ])
      : []
  for (const path of places(right)) {
    const changed: unknown = structuredClone(right)
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], changed)
    Object.assign(parent as object, { [path.at(-1) as string]: Symbol('wrong') })
    expect(webhookEvent.accepts(changed), path.join('.')).toBe(false)
    expect(webhookEvent.issues(changed), path.join('.')).not.toEqual([])
  }
})

it('a form of schema that it does not know is never accepted: the schema decides', () => {
  const unknown = [
    z.email(),
    z.int(),
    z.strictObject({}),
    z.tuple([z.string()]),
    z.pipe(z.string(), z.transform(Number)),
  ]
  for (const schema of unknown) {
    for (const value of ['a@b.c', 1, {}, ['a'], 'a']) expect(acceptance(schema)(value)).toBe(false)
  }
})

it('a rule on text holds also in a field, and a check that says nothing of itself leaves the answer to zod', () => {
  const short = z.looseObject({ name: z.optional(ruled(z.string(), ({ length }) => length < 4, 'is long')) })
  expect(acceptance(short)({ name: 'abc' })).toBe(true)
  expect(acceptance(short)({ name: 'abcd' })).toBe(false)
  expect(acceptance(z.string().check(z.maxLength(3)))('abc')).toBe(false)
})

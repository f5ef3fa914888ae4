import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  maybeNumber,
  nonEmpty,
  oneOf,
  open,
  schema,
  untyped,
  wholeNumber,
} from '../../../src/contract/schema/schema.ts'

const order = schema(() =>
  z.looseObject({
    id: nonEmpty(),
    state: oneOf(['open', 'closed']),
    count: wholeNumber(),
    paid: z.boolean(),
    weight: maybeNumber(),
    kind: open<'gift'>(),
    lines: z.array(z.looseObject({ sku: z.string() })),
    address: z.looseObject({ city: z.string() }),
    note: z.optional(z.string().check(z.refine((text) => text.length < 4, 'must be shorter than 4'))),
    remark: z.optional(untyped(z.looseObject({ text: z.string() }))),
  }),
)

const anOrder = (more: object = {}) => ({
  id: 'o1',
  state: 'open',
  count: 1,
  paid: true,
  weight: 1.5,
  kind: 'gift',
  lines: [{ sku: 'a' }],
  address: { city: 'Turin' },
  ...more,
})

it('returns no issues for a valid value, also if it has other members', () => {
  expect(order.issues(anOrder())).toEqual([])
  expect(order.issues(anOrder({ later: { nested: [1] }, weight: null, note: 'abc' }))).toEqual([])
  expect(order.issues(anOrder({ kind: 'a kind that is not listed' }))).toEqual([])
})

it.each([
  ['a missing field', { id: undefined }, ['id'], 'is required'],
  ['a missing enum', { state: undefined }, ['state'], 'is required'],
  ['a missing list', { lines: undefined }, ['lines'], 'is required'],
  ['a missing field of a nested object', { address: {} }, ['address', 'city'], 'is required'],
  ['null for a string', { id: null }, ['id'], 'must be a string'],
  ['a number for a string', { id: 7 }, ['id'], 'must be a string'],
  ['a number for an open enum', { kind: 7 }, ['kind'], 'must be a string'],
  ['a string for a number', { weight: '1' }, ['weight'], 'must be a finite number'],
  ['NaN', { weight: Number.NaN }, ['weight'], 'must be a finite number'],
  ['a fraction for an integer', { count: 1.5 }, ['count'], 'must be a whole number'],
  ['a string for a boolean', { paid: 'true' }, ['paid'], 'must be true or false'],
  ['an object for a list', { lines: {} }, ['lines'], 'must be a list'],
  ['a list for an object', { address: [] }, ['address'], 'must be an object'],
  ['a wrong item of a list', { lines: [{ sku: 'a' }, { sku: 1 }] }, ['lines', 1, 'sku'], 'must be a string'],
  ['a value outside an enum', { state: 'lost' }, ['state'], 'must be "open" or "closed"'],
  ['an empty string', { id: '' }, ['id'], 'must not be empty'],
  ['a broken custom rule', { note: 'abcd' }, ['note'], 'must be shorter than 4'],
])('reports %s with path and message', (_, more, path, message) => {
  expect(order.issues(anOrder(more))).toEqual([{ path, message, untyped: false }])
})

it.each([undefined, null, 'text', 7, []])('reports %j for an object', (value) => {
  const message = value === undefined ? 'is required' : 'must be an object'
  expect(order.issues(value)).toEqual([{ path: [], message, untyped: false }])
})

it('reports every issue of a value, and marks only parts without a documented type as untyped', () => {
  expect(order.issues(anOrder({ paid: 1, state: 'lost', remark: { text: 7 } }))).toEqual([
    { path: ['state'], message: 'must be "open" or "closed"', untyped: false },
    { path: ['paid'], message: 'must be true or false', untyped: false },
    { path: ['remark', 'text'], message: 'has another type than expected', untyped: true },
  ])
  expect(order.issues(anOrder({ remark: 'text' }))).toEqual([
    { path: ['remark'], message: 'has another type than expected', untyped: true },
  ])
})

it('never quotes the value in a message', () => {
  const canary = 'CANARY-51c9'
  const wrong = { ...anOrder(), state: canary, count: canary, address: canary, note: canary, remark: canary }
  const messages = order.issues(wrong).map(({ message }) => message)
  expect(messages).toHaveLength(5)
  expect(messages.join()).not.toContain(canary)
})

it('returns the same issues for the same value, and does not change the value', () => {
  const value = fc.oneof(
    fc.anything(),
    fc.dictionary(fc.constantFrom(...Object.keys(anOrder()), 'note', 'remark'), fc.anything()),
  )
  fc.assert(
    fc.property(value, (one) => {
      const before = fc.stringify(one)
      expect(order.issues(one)).toEqual(order.issues(one))
      expect(fc.stringify(one)).toBe(before)
    }),
    { numRuns: 500 },
  )
})

it('builds its zod schema once, at the first check', () => {
  let builds = 0
  const counted = schema(() => {
    builds++
    return z.string()
  })
  expect(builds).toBe(0)
  expect(counted.issues('text')).toEqual([])
  expect(counted.issues(7)).toHaveLength(1)
  expect(builds).toBe(1)
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countMembers } from '../../../src/oidc/validation/verify-token.ts'

const anObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
const indentation = fc.constantFrom(undefined, 1, '\t')

it('counts each member at the top level once, with any nested or quoted content', () => {
  fc.assert(
    fc.property(anObject, indentation, (object, indent) => {
      const text = JSON.stringify(object, null, indent)
      expect(countMembers(text), text).toBe(Object.keys(JSON.parse(text)).length)
    }),
  )
})

it('counts a duplicate member again, also if its name is escaped', () => {
  const escaped = (name: string) =>
    Array.from({ length: name.length }, (_, i) => `\\u${name.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
  fc.assert(
    fc.property(anObject, fc.string({ minLength: 1 }), fc.jsonValue(), (object, name, value) => {
      const inner = JSON.stringify({ ...object, [name]: value }).slice(1, -1)
      const text = `{${inner},"${escaped(name)}":${JSON.stringify(value)}}`
      expect(countMembers(text), text).toBe(Object.keys(JSON.parse(text)).length + 1)
    }),
  )
})

it.each([
  ['{}', 0],
  [' { } ', 0],
  ['{"a":"\\\\"}', 1],
  ['{"a":"\\\\\\""}', 1],
  ['{"":{"b":[1,{"c":","}],"d":2},"e":[[],[]]}', 2],
])('%s has %i members', (text, members) => {
  expect(countMembers(text)).toBe(members)
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromBase64url, isBase64url, toBase64url } from '../../src/runtime/bytes.ts'

it('encodes and decodes base64url as Node does', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = toBase64url(bytes)
      expect(text).toBe(Buffer.from(bytes).toString('base64url'))
      expect(isBase64url(text)).toBe(true)
      expect(Buffer.compare(fromBase64url(text), bytes)).toBe(0)
    }),
  )
})

it.each(['a', 'ab+/', 'ab==', 'YQ=', 'YR', 'YWJ', 'a b', 'YQ\n', '-_-_A'])(
  'rejects text that is not strict base64url: %j',
  (text) => {
    expect(isBase64url(text)).toBe(false)
  },
)

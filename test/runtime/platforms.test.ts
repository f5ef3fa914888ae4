import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import * as nodeForm from '../../src/http/body/form-frames.node.ts'
import * as webForm from '../../src/http/body/form-frames.web.ts'

const node = {
  ...(await import('../../src/runtime/bytes.ts')),
  ...(await import('../../src/runtime/crypto.ts')),
}

vi.resetModules()
const { toBase64, fromBase64, joinBytes } = await import('../../src/runtime/bytes.ts')
const { equalBytes, equalTexts, hmacSha256, hmacSha256Hex, isHmacSha256 } = await import('../../src/runtime/crypto.ts')

/** Runs a function where Node's modules and buffers do not exist. */
const onWeb =
  <Params extends unknown[], Result>(run: (...params: Params) => Result) =>
  (...params: Params): Result => {
    vi.stubGlobal('Buffer', undefined)
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
    try {
      return run(...params)
    } finally {
      vi.unstubAllGlobals()
      vi.restoreAllMocks()
    }
  }

const web = {
  toBase64: onWeb(toBase64),
  fromBase64: onWeb(fromBase64),
  equalBytes: onWeb(equalBytes),
  equalTexts: onWeb(equalTexts),
  joinBytes: onWeb(joinBytes),
  hmacSha256: onWeb(hmacSha256),
  hmacSha256Hex: onWeb(hmacSha256Hex),
  isHmacSha256: onWeb(isHmacSha256),
}

const chunk = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array())
const key = fc.string({ minLength: 1 })

it('both platforms compute the same HMAC', async () => {
  await fc.assert(
    fc.asyncProperty(key, fc.string({ unit: 'grapheme' }), async (secret, text) => {
      const expected = createHmac('sha256', secret).update(text).digest()
      expect(node.hmacSha256(secret, text)).toEqual(expected)
      const hmac = web.hmacSha256(secret, text)
      expect(hmac).toBeInstanceOf(Promise)
      expect(Buffer.from(await hmac)).toEqual(expected)
    }),
  )
})

it('both platforms compute the same HMAC in lowercase hexadecimal', async () => {
  await fc.assert(
    fc.asyncProperty(key, fc.string(), chunk, async (secret, head, body) => {
      const digits = node.hmacSha256Hex(secret, head, body)
      expect(digits).toBe(createHmac('sha256', secret).update(head).update(body).digest('hex'))
      expect(await web.hmacSha256Hex(secret, head, body)).toBe(digits)
    }),
  )
})

it('both platforms accept the HMAC of a body, and no other one', async () => {
  await fc.assert(
    fc.asyncProperty(key, fc.string(), chunk, fc.nat({ max: 255 }), async (secret, head, body, bit) => {
      const mac = createHmac('sha256', secret).update(head).update(body).digest()
      const forged = Buffer.from(mac)
      forged.writeUInt8(forged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      for (const [signature, accepted] of [
        [mac, true],
        [forged, false],
      ] as const) {
        expect(node.isHmacSha256(signature.toString('hex'), secret, head, body)).toBe(accepted)
        expect(await web.isHmacSha256(signature.toString('hex'), secret, head, body)).toBe(accepted)
      }
    }),
  )
})

it('both platforms compare bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
      expect(web.equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0)
      expect(node.equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0)
      expect(web.equalBytes(a, a.slice())).toBe(true)
    }),
  )
})

it.each([
  ['node', node],
  ['web', web],
])('%s: a text equals only itself, even if another has the same low bytes', (_, platform) => {
  const hmac = '0123456789abcdef'.repeat(4)
  expect(platform.equalTexts(hmac, `${hmac} `.trim())).toBe(true)
  for (let position = 0; position < hmac.length; position++) {
    const put = (digit: string) => hmac.slice(0, position) + digit + hmac.slice(position + 1)
    const code = hmac.charCodeAt(position)
    for (const other of [code ^ 1, code | 0x100, code | 0x3000]) {
      expect(platform.equalTexts(hmac, put(String.fromCharCode(other)))).toBe(false)
    }
  }
  for (const other of ['', hmac.slice(1), `${hmac}0`]) {
    expect(platform.equalTexts(hmac, other)).toBe(false)
  }
})

it('both platforms join bytes, and encode and decode the same base64', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (parts) => {
      const bytes = node.joinBytes(parts)
      const digits = node.toBase64(bytes)
      expect(Buffer.compare(web.joinBytes(parts), bytes)).toBe(0)
      expect(web.toBase64(bytes)).toBe(digits)
      for (const text of [digits, digits.replace(/=+$/, '')]) {
        expect(Buffer.compare(web.fromBase64(text), bytes)).toBe(0)
        expect(Buffer.compare(node.fromBase64(text), bytes)).toBe(0)
      }
    }),
  )
})

it('both platforms encode the base64 of a large image', () => {
  const image = Uint8Array.from({ length: 100_001 }, (_, i) => (i * 7919) >> 3)
  expect(node.toBase64(image)).toBe(Buffer.from(image).toString('base64'))
  expect(web.toBase64(image)).toBe(node.toBase64(image))
})

it('both platforms write the same bytes of a form', () => {
  const boundary = fc.stringMatching(/^[\da-f]{64}$/)
  const text = fc.string({ unit: 'binary' })
  const file = fc.record({
    field: fc.stringMatching(/^[a-z_\d]+$/),
    filename: fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => /^[^\p{Cc}/\\]+$/u.test(name)),
    contentType: fc.constantFrom('image/jpeg', 'application/octet-stream'),
  })
  fc.assert(
    fc.property(boundary, fc.array(fc.tuple(text, text)), fc.array(file, { minLength: 1 }), (...form) => {
      const onNode = nodeForm.formFrames(...form)
      const onWeb = webForm.formFrames(...form)
      expect(onWeb.map((frame) => Buffer.from(frame).toString())).toEqual(
        onNode.map((frame) => Buffer.from(frame).toString()),
      )
    }),
  )
})

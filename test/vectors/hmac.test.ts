import { createHmac } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import * as node from '../../src/runtime/crypto.ts'
import { signWebhook, verifyWebhookSignature } from '../../src/webhooks.ts'
import { describeVectors, fromHex } from '../support/vectors.ts'
import { clockAt, signedAt } from '../support/webhook.ts'

interface Vector {
  readonly tcId: number
  readonly comment: string
  readonly key: string
  readonly msg: string
  readonly tag: string
  readonly result: 'valid' | 'invalid'
}

interface Suite {
  readonly testGroups: readonly { readonly tests: readonly Vector[] }[]
}

vi.resetModules()
const web = await import('../../src/runtime/crypto.ts')

/** Returns the key as a secret, or `undefined`: a secret is a text, so a key that is not UTF-8 cannot be one. */
function secretOf(key: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromHex(key))
  } catch {
    return undefined
  }
}

/** The digits of a full tag. */
const fullLength = 64

const hmacOf = (key: string | Uint8Array, ...parts: (string | Uint8Array)[]) =>
  parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest('hex')

const xor = (...texts: string[]) =>
  Buffer.from(
    fromHex(texts[0] ?? '').map((_, i) => texts.reduce((byte, text) => byte ^ (fromHex(text)[i] ?? 0), 0)),
  ).toString('hex')

// The service signs `timestamp.body`, so no message of the vectors can be the body of a delivery that has the tag of
// the vector. The vectors are therefore used twice: their keys, messages and tags with the functions that compute and
// compare the MAC, and their keys, messages and changes of tags with the public functions.
describeVectors<Suite>(
  'wycheproof/hmac_sha256_test.json',
  'that webhooks are signed with HMAC-SHA256, and that each changed tag is rejected',
  ({ testGroups }) => {
    const vectors = testGroups.flatMap(({ tests }) => tests)

    it.each<[platform: string, crypto: typeof node, accepted: number, unusable: number]>([
      // Here a key of bytes reaches the platform unchanged, although a secret cannot be one.
      ['Node', node, 70, 0],
      ['Web Crypto', web, 4, 66],
    ])('accepts the right tags of the vectors and no others, on %s', async (platform, of, accepted, unusable) => {
      if (platform !== 'Node') vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
      const counts = { accepted: 0, rejected: 0, unusable: 0 }
      const check = async (secret: string, { msg, tag, tcId }: Vector, isRight: boolean) => {
        const mac = await of.hmacSha256Hex(secret, '', fromHex(msg))
        expect(mac.startsWith(tag), `vector ${tcId}`).toBe(isRight)
        if (tag.length === fullLength)
          expect(await of.isHmacSha256(tag, secret, '', fromHex(msg)), `vector ${tcId}`).toBe(isRight)
        counts[isRight ? 'accepted' : 'rejected']++
      }

      for (const vector of vectors) {
        const bytes = platform === 'Node' ? (fromHex(vector.key) as unknown as string) : undefined
        const secret = secretOf(vector.key) ?? bytes
        if (secret === undefined) counts.unusable++
        else await check(secret, vector, vector.result === 'valid')
        // The vectors whose key can be a secret are all invalid. This is the right tag of some of them.
        if (secret !== undefined && vector.comment === 'all bits of tag flipped')
          await check(secret, { ...vector, tag: xor(vector.tag, 'f'.repeat(vector.tag.length)) }, true)
      }

      expect(counts).toEqual({ accepted, rejected: 108, unusable })
    })

    it('a delivery has the same MAC as with node:crypto, and each change of a tag is rejected', async () => {
      const counts: Record<string, number> = {}
      for (const { tcId, key, msg, tag } of vectors) {
        const text = secretOf(key)
        // A secret has no spaces around it and no line breaks.
        const secret = text !== undefined && text.trim() === text && !/[\r\n]/.test(text) ? text : key
        const { body, headers } = await signWebhook({ body: fromHex(msg), secret, timestamp: signedAt })
        const signature = headers['x-svc-signature'] ?? ''
        expect(signature, `vector ${tcId}`).toBe(hmacOf(secret, `${signedAt}.`, fromHex(msg)))
        // The bits that differ between the tag of the vector and the right one.
        const change = xor(tag, hmacOf(fromHex(key), fromHex(msg)))
        const changed = xor(signature.slice(0, tag.length), change)

        const outcome = await verifyWebhookSignature({
          body,
          headers: { ...headers, 'x-svc-signature': changed },
          secret,
          now: clockAt(signedAt),
        }).then(
          () => 'accepted',
          (error) => error.reason,
        )

        if (tag.length < fullLength) expect(outcome, `vector ${tcId}`).toBe('malformed_header')
        else expect(outcome === 'accepted', `vector ${tcId}`).toBe(/^0+$/.test(change))
        counts[outcome] = (counts[outcome] ?? 0) + 1
      }
      expect(counts).toEqual({ accepted: 33, signature_mismatch: 54, malformed_header: 87 })
    })
  },
)

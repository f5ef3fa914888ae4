import { constants, createHash, createPublicKey, type JsonWebKey, privateEncrypt, publicDecrypt } from 'node:crypto'
import * as jose from 'jose'
import { expect, it } from 'vitest'
import { validateIdToken } from '../../src/index.ts'
import { type IssuerKey, usableKeys } from '../../src/oidc/jwks/jwks-cache.ts'
import { baseUrl, claimsOf, clientId, encoded, headerOf, key } from '../oidc/issuer.ts'
import { describeVectors, fromHex } from '../support/vectors.ts'

interface Vector {
  readonly tcId: number
  readonly flags: readonly string[]
  readonly msg: string
  readonly sig: string
  readonly result: 'valid' | 'invalid' | 'acceptable'
}

interface Suite {
  readonly testGroups: readonly { readonly keyJwk: JsonWebKey; readonly tests: readonly Vector[] }[]
}

const noPadding = constants.RSA_NO_PADDING

/** Returns the padded hash that a signature contains, or `undefined` if it is not a number below the modulus. */
function paddedHash(sig: string, jwk: JsonWebKey): Buffer | undefined {
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  try {
    return publicDecrypt({ key: publicKey, padding: noPadding }, fromHex(sig))
  } catch {
    return undefined
  }
}

const algorithms = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'md5']

/** Returns the padding with the hash of another message in it, if it contains the hash of the first one. */
function withHashOf(padded: Buffer, from: Uint8Array, to: string): Buffer | undefined {
  for (const algorithm of algorithms) {
    const at = padded.indexOf(createHash(algorithm).update(from).digest())
    if (at === -1) continue
    const changed = Buffer.from(padded)
    createHash(algorithm).update(to).digest().copy(changed, at)
    return changed
  }
  return undefined
}

// An id_token is signed over its own text, so a signature of the vectors is never that of an id_token. The vectors are
// therefore used twice: their keys, messages and signatures with our import of keys and the primitive that jose calls,
// and the padding of each signature, around the hash of an id_token and signed with our own key, with the public
// function.
describeVectors<Suite>(
  'wycheproof/rsa_signature_2048_sha256_test.json',
  'that a signature with any other padding than that of PKCS #1 is rejected',
  ({ testGroups }) => {
    it('an imported key verifies the valid signatures of the vectors, and no others', async () => {
      const counts = { accepted: 0, rejected: 0 }
      for (const { keyJwk, tests } of testGroups) {
        const [imported] = usableKeys([keyJwk]) as [IssuerKey]
        const publicKey = await imported.imported(jose)
        for (const { tcId, msg, sig, result } of tests) {
          const matches = await crypto.subtle.verify(publicKey.algorithm, publicKey, fromHex(sig), fromHex(msg))
          // Vector 8 is acceptable: it lacks a NULL that old signers left out. RFC 8017 requires it.
          expect(matches, `vector ${tcId}`).toBe(result === 'valid')
          counts[matches ? 'accepted' : 'rejected']++
        }
      }
      expect(counts).toEqual({ accepted: 9, rejected: 250 })
    })

    it('an id_token is accepted only with the padding of the valid signatures', async () => {
      const counts: Record<string, number> = {}
      for (const { keyJwk, tests } of testGroups) {
        for (const { tcId, msg, sig, result } of tests) {
          const input = `${encoded(headerOf())}.${encoded(claimsOf({ exp: 9e9, iat: 0, vector: tcId }))}`
          const theirs = paddedHash(sig, keyJwk)
          const ours = theirs && withHashOf(theirs, fromHex(msg), input)
          const signature = ours ? privateEncrypt({ key: key.privateKey, padding: noPadding }, ours) : fromHex(sig)
          const token = `${input}.${Buffer.from(signature).toString('base64url')}`

          const outcome = await validateIdToken(token, {
            jwks: { keys: [key.jwk] },
            issuer: baseUrl,
            audience: clientId,
          }).then(
            () => 'accepted',
            (error) => error.reason,
          )

          const expected = result === 'valid' ? 'accepted' : 'signature_mismatch'
          expect(outcome, `vector ${tcId}`).toBe(expected)
          const kind = `${outcome}, with ${ours ? 'the padding' : 'the signature'} of the vector`
          counts[kind] = (counts[kind] ?? 0) + 1
        }
      }
      expect(counts).toEqual({
        'accepted, with the padding of the vector': 9,
        'signature_mismatch, with the padding of the vector': 209,
        'signature_mismatch, with the signature of the vector': 41,
      })
    })
  },
)

import * as jose from 'jose'
import { beforeEach, expect, it, vi } from 'vitest'
import { TokenValidationError, validateIdToken } from '../../src/index.ts'
import { usableKeys } from '../../src/oidc/jwks/jwks-cache.ts'
import { baseUrl, claimsOf, clientId, encoded, startMs } from '../oidc/issuer.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { describeVectors } from '../support/vectors.ts'

interface Suite {
  readonly testGroups: readonly {
    /** Absent if the key is symmetric. */
    readonly public?: { readonly kid: string; readonly kty: string; readonly alg?: string }
    readonly tests: readonly {
      readonly tcId: number
      readonly jws: string
      readonly result: 'valid' | 'invalid'
    }[]
  }[]
}

beforeEach(() => {
  vi.useFakeTimers({ now: startMs, toFake: ['Date', 'performance'] })
  return () => vi.useRealTimers()
})

const rejection = async (token: string, key: object | undefined): Promise<string> => {
  const options = { jwks: { keys: key ? [key] : [] }, issuer: baseUrl, audience: clientId }
  const error = await thrownBy(validateIdToken(token, options))
  expect(error).toBeInstanceOf(TokenValidationError)
  return (error as TokenValidationError).reason
}

/** Returns the parsed header of a token, or `undefined` if the text is not the strict base64url of a JSON object. */
function headerOf(part: string | undefined): Record<string, unknown> | undefined {
  const bytes = Buffer.from(part ?? '', 'base64url')
  if (part === undefined || bytes.toString('base64url') !== part) return undefined
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

const isBase64url = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part

const count = (counts: Record<string, number>, what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

// The payloads of the vectors are texts such as `foo`, so none of them is an id_token. The vectors are therefore used
// three times: with our import of keys and the function of jose that we call; as they are, with the public function;
// and with claims as their payload, so that their headers and signatures are looked at.
describeVectors<Suite>(
  'wycheproof/json_web_signature_test.json',
  'that a token is accepted only with a valid RS256 signature of a published key',
  ({ testGroups }) => {
    const vectors = testGroups.flatMap(({ public: key, tests }) => tests.map((vector) => ({ ...vector, key })))

    it('accepts the valid RS256 signatures of the vectors, and no others', async () => {
      const counts = { accepted: 0, rejected: 0 }
      for (const { tcId, jws, key, result } of vectors) {
        const [usable] = usableKeys(key ? [key] : [])
        const accepted =
          usable !== undefined &&
          (await jose.compactVerify(jws, await usable.imported(jose), { algorithms: ['RS256'] }).then(
            () => true,
            () => false,
          ))
        expect(accepted, `vector ${tcId}`).toBe(result === 'valid' && key?.alg === 'RS256')
        counts[accepted ? 'accepted' : 'rejected']++
      }
      expect(counts).toEqual({ accepted: 8, rejected: 393 })
    })

    it('rejects each vector with a typed error, because its payload is not a JSON object', async () => {
      const counts: Record<string, number> = {}
      for (const { jws, key } of vectors) count(counts, await rejection(jws, key))
      expect(counts).toEqual({ malformed: 401 })
    })

    it('rejects the header and the signature of each vector around valid claims, for the first reason that it has', async () => {
      const counts: Record<string, number> = {}
      for (const { tcId, jws, key } of vectors) {
        const [header, ...others] = jws.split('.')
        const signature = others.at(-1)
        if (others.length !== 2 || signature === undefined) continue
        const parsed = headerOf(header)
        const isUsable = key?.kty === 'RSA' && usableKeys([key]).length > 0

        const reason = await rejection(`${header}.${encoded(claimsOf())}.${signature}`, key)

        const expected =
          parsed === undefined || !isBase64url(signature)
            ? 'malformed'
            : parsed.alg !== 'RS256'
              ? 'unsupported_algorithm'
              : !isUsable || parsed.kid !== key.kid
                ? 'key_not_found'
                : 'signature_mismatch'
        expect(reason, `vector ${tcId}`).toBe(expected)
        count(counts, reason)
      }
      expect(counts).toEqual({
        malformed: 14,
        unsupported_algorithm: 140,
        key_not_found: 4,
        signature_mismatch: 225,
      })
    })
  },
)

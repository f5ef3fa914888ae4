import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import type { Keys } from '../jwks/jwks-cache.ts'
import type { SigningKey } from '../jwks/signing-keys.ts'
import { type CompactToken, type JsonObject, readCompactToken } from './compact-token.ts'
import { loadJose } from '../jose.ts'

/** Header members that would let a token say how, or with which key, it is to be verified. */
const forbiddenMembers = ['crit', 'jwk', 'jku', 'x5u', 'x5c', 'b64', 'zip']

export interface VerifiedToken extends CompactToken {
  /** Identity of the key that signed it. */
  readonly signedBy: string
}

/**
 * Verifies the signature of a token, and nothing of what it claims.
 *
 * @param types values of `typ`, in lower case, that this kind of token may have; none is fine as well
 * @throws {TokenValidationError}
 */
export async function verifyToken(
  token: unknown,
  keys: Keys,
  types: readonly string[],
): Promise<VerifiedToken> {
  const compact = readCompactToken(token)
  const kid = checkHeader(compact.header, types)
  const find = async () => signerOf(token as string, await keys.candidates(kid))
  // A set that reuses a name, or names nothing, may have changed under it.
  const signer = (await find()) ?? ((await keys.renew()) ? await find() : undefined)
  if (signer) return { ...compact, signedBy: signer.identity }
  throw new TokenValidationError('signature_mismatch', 'the signature fits no key of the issuer')
}

function checkHeader(header: JsonObject, types: readonly string[]): string | undefined {
  const { alg, typ, kid } = header
  if (alg !== signingAlgorithm) {
    throw new TokenValidationError(
      'unsupported_algorithm',
      `the token is not signed with ${signingAlgorithm}`,
      {
        claim: 'alg',
      },
    )
  }
  const forbidden = forbiddenMembers.find((member) => Object.hasOwn(header, member))
  if (forbidden !== undefined) {
    throw new TokenValidationError('forbidden_header', `the token's header has ${forbidden}`, {
      claim: forbidden,
    })
  }
  if (typ !== undefined && !(typeof typ === 'string' && types.includes(mediaType(typ)))) {
    throw new TokenValidationError('unexpected_type', 'this is another kind of token', { claim: 'typ' })
  }
  if (kid !== undefined && typeof kid !== 'string') {
    throw new TokenValidationError('malformed_claim', "the token's kid is no string", { claim: 'kid' })
  }
  return kid
}

/** RFC 7515, section 4.1.9: `application/` may be left out, and case does not matter. */
const mediaType = (typ: string) => typ.toLowerCase().replace(/^application\//, '')

async function jose() {
  try {
    return await loadJose()
  } catch (cause) {
    throw new TokenValidationError('keys_unavailable', 'jose, which applies the keys, could not be loaded', {
      cause,
    })
  }
}

async function signerOf(token: string, candidates: readonly SigningKey[]): Promise<SigningKey | undefined> {
  const { compactVerify } = await jose()
  for (const candidate of candidates) {
    try {
      await compactVerify(token, await candidate.key, { algorithms: [signingAlgorithm] })
      return candidate
    } catch {
      // The wrong key, or one that the platform does not take: the next may fit.
    }
  }
  return undefined
}

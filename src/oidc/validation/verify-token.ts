import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'
import { plainCause } from '../../errors/cause.ts'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { loadJose } from '../jose.ts'
import type { KeyProvider } from '../jwks/key-provider.ts'
import type { SigningKey } from '../jwks/signing-keys.ts'
import { type CompactToken, type JsonObject, parseCompactToken } from './compact-token.ts'

/** Header members with which a token could choose how, or with which key, it is verified. */
const forbiddenMembers = ['crit', 'jwk', 'jku', 'x5u', 'x5c', 'b64', 'zip']

export interface VerifiedToken extends CompactToken {
  /** Identity of the key that signed the token. */
  readonly signedBy: string
}

/**
 * Verifies the signature of a token. Its claims are not checked.
 *
 * @param types accepted values of `typ`, in lower case. A token without `typ` is accepted too
 * @throws {TokenValidationError}
 */
export async function verifyToken(
  token: unknown,
  keys: KeyProvider,
  types: readonly string[],
): Promise<VerifiedToken> {
  const compact = parseCompactToken(token)
  const kid = checkHeader(compact.header, types)
  const findSigner = async () => signerOf(token as string, await keys.candidates(kid))
  // The issuer may have replaced a key under the same kid, or a key without a kid.
  const signer = (await findSigner()) ?? ((await keys.refetch()) ? await findSigner() : undefined)
  if (signer) return { ...compact, signedBy: signer.identity }
  throw new TokenValidationError({
    reason: 'signature_mismatch',
    message: "no key of the issuer matches the token's signature",
  })
}

/** @returns the token's `kid`, if it has one */
function checkHeader(header: JsonObject, types: readonly string[]): string | undefined {
  const { alg, typ, kid } = header
  if (alg !== signingAlgorithm) {
    const message = `the token is not signed with ${signingAlgorithm}`
    throw new TokenValidationError({ reason: 'unsupported_algorithm', message, claim: 'alg' })
  }
  const forbidden = forbiddenMembers.find((member) => Object.hasOwn(header, member))
  if (forbidden !== undefined) {
    const message = `the token's header has ${forbidden}, which is not accepted`
    throw new TokenValidationError({ reason: 'forbidden_header', message, claim: forbidden })
  }
  if (typ !== undefined && !(typeof typ === 'string' && types.includes(mediaType(typ)))) {
    const message = 'this is another kind of token: its typ differs'
    throw new TokenValidationError({ reason: 'unexpected_type', message, claim: 'typ' })
  }
  if (kid !== undefined && typeof kid !== 'string') {
    throw new TokenValidationError({
      reason: 'malformed_claim',
      message: "the token's kid is not a string",
      claim: 'kid',
    })
  }
  return kid
}

/** RFC 7515, section 4.1.9: `application/` may be omitted, and case is ignored. */
const mediaType = (typ: string) => typ.toLowerCase().replace(/^application\//, '')

async function jose() {
  try {
    return await loadJose()
  } catch (thrown) {
    const message = 'jose, which verifies signatures, could not be loaded: see cause'
    throw new TokenValidationError({ reason: 'keys_unavailable', message, cause: plainCause(thrown) })
  }
}

async function signerOf(token: string, candidates: readonly SigningKey[]): Promise<SigningKey | undefined> {
  const { compactVerify } = await jose()
  for (const candidate of candidates) {
    try {
      await compactVerify(token, await candidate.key, { algorithms: [signingAlgorithm] })
      return candidate
    } catch {
      // Another key, or one that the platform does not support. The next candidate may match.
    }
  }
  return undefined
}

import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'
import { plainCause } from '../../errors/cause.ts'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { loadJose } from '../jose.ts'
import type { KeyProvider } from '../jwks/key-provider.ts'
import type { SigningKey } from '../jwks/signing-keys.ts'
import { type CompactToken, type JsonObject, parseCompactToken } from './compact-token.ts'

/** Header members with which a token could choose how, or with which key, it is verified. */
const forbiddenMembers = ['crit', 'jwk', 'jku', 'x5u', 'x5c', 'b64', 'zip']

/** RS256 is this algorithm with SHA-256 (RFC 7518, section 3.3). The keys are imported for SHA-256. */
const rs256 = 'RSASSA-PKCS1-v1_5'

export interface VerifiedToken {
  readonly header: JsonObject
  readonly claims: JsonObject
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
  const findSigner = async () => signerOf(compact, await keys.candidates(kid))
  // The issuer may have replaced a key under the same kid, or a key without a kid.
  const signer = (await findSigner()) ?? ((await keys.refetch()) ? await findSigner() : undefined)
  if (signer) return { header: compact.header, claims: compact.claims, signedBy: signer.identity }
  throw new TokenValidationError({
    reason: 'signature_mismatch',
    message:
      "no key of the issuer matches the token's signature: check that the token is from this service and unchanged",
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
    const message = 'this is another kind of token, because its typ differs: check which token you pass'
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

/** Loads what imports the keys. Afterwards, a key that cannot be imported is one that the platform does not support. */
async function loadKeyImport(): Promise<void> {
  try {
    await loadJose()
  } catch (thrown) {
    const message = 'jose, which imports the keys of the issuer, could not be loaded: see cause'
    throw new TokenValidationError({ reason: 'keys_unavailable', message, cause: plainCause(thrown) })
  }
}

/**
 * Returns the key that signed a token. The platform verifies the signature, over the bytes that were parsed here. With
 * `compactVerify` of jose, which parses the header a second time, a token takes 1.13 times the CPU of jose's `jwtVerify`
 * (budget: 1.1).
 */
async function signerOf(
  { signature, signedBytes }: CompactToken,
  candidates: readonly SigningKey[],
): Promise<SigningKey | undefined> {
  await loadKeyImport()
  for (const candidate of candidates) {
    try {
      if (await crypto.subtle.verify(rs256, await candidate.key, signature, signedBytes)) return candidate
    } catch {
      // A key that the platform does not support. The next candidate may match.
    }
  }
  return undefined
}

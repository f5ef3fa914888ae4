import type { CryptoKey } from 'jose'
import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'
import { fromBase64url, isBase64url } from '../../runtime/base64url.ts'
import { loadJose } from '../jose.ts'

interface RsaJwk {
  readonly kty: 'RSA'
  readonly n: string
  readonly e: string
  readonly kid?: string
}

/** A public key that tokens may be signed with. */
export class SigningKey {
  readonly kid: string | undefined
  readonly isWeak: boolean
  /** Tells it from every other key, one of the same name included. */
  readonly identity: string
  readonly #jwk: RsaJwk
  #imported: Promise<CryptoKey> | CryptoKey | undefined

  constructor(jwk: RsaJwk, modulusBits: number) {
    this.kid = jwk.kid
    this.isWeak = modulusBits < leastModulusBits
    this.identity = JSON.stringify([jwk.kid, jwk.n, jwk.e])
    this.#jwk = jwk
  }

  /** As the platform's cryptography takes it; imported once. */
  get key(): Promise<CryptoKey> | CryptoKey {
    this.#imported ??= loadJose().then(async ({ importJWK }) => {
      const { kty, n, e } = this.#jwk
      const key = (await importJWK({ kty, n, e }, signingAlgorithm)) as CryptoKey
      this.#imported = key
      return key
    })
    return this.#imported
  }
}

/** RFC 7518, section 3.3. */
const leastModulusBits = 2048

/** What only a private or a symmetric key has: an issuer that publishes it has lost it. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The keys of a set that can verify our tokens. What else is in it is passed over, whatever it is. */
export function usableKeys(entries: readonly unknown[]): SigningKey[] {
  const keys: SigningKey[] = []
  for (const entry of entries) {
    if (!isSigningJwk(entry)) continue
    const bits = modulusBits(entry.n)
    if (bits !== undefined) keys.push(new SigningKey(entry, bits))
  }
  return keys
}

function isSigningJwk(entry: unknown): entry is RsaJwk {
  if (typeof entry !== 'object' || entry === null) return false
  const { kty, n, e, kid, alg, use, key_ops: operations } = entry as Record<string, unknown>
  return (
    kty === 'RSA' &&
    typeof n === 'string' &&
    typeof e === 'string' &&
    (kid === undefined || typeof kid === 'string') &&
    (alg === undefined || alg === signingAlgorithm) &&
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    !secretMembers.some((member) => Object.hasOwn(entry, member))
  )
}

/** Length of the modulus, leading zeros left out; `undefined` for what is no number. */
function modulusBits(n: string): number | undefined {
  if (!isBase64url(n)) return undefined
  const bytes = fromBase64url(n)
  const first = bytes.findIndex((byte) => byte !== 0)
  return first === -1 ? undefined : (bytes.length - first) * 8 - (Math.clz32(bytes[first] as number) - 24)
}

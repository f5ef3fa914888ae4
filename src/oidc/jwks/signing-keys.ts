import type { CryptoKey } from 'jose'
import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'
import { fromBase64url, isBase64url } from '../../runtime/base64url.ts'
import { Lazy } from '../../runtime/lazy.ts'
import { loadJose } from '../jose.ts'
import type { LruMap } from '../lru-map.ts'

interface RsaJwk {
  readonly kty: 'RSA'
  readonly n: string
  readonly e: string
  readonly kid?: string
}

/** RFC 7518, section 3.3. */
const minModulusBits = 2048

/** A public key of an issuer. */
export class SigningKey {
  readonly kid: string | undefined
  /** Whether the modulus is shorter than 2048 bits. */
  readonly isWeak: boolean
  /** Differs for every other key, also for one with the same `kid`. */
  readonly identity: string
  readonly #jwk: RsaJwk
  readonly #imported: Lazy<CryptoKey>

  constructor(jwk: RsaJwk, modulusBits: number) {
    const { kid, n, e } = jwk
    this.kid = kid
    this.isWeak = modulusBits < minModulusBits
    this.identity = JSON.stringify([kid, n, e])
    this.#jwk = { kty: 'RSA', n, e }
    this.#imported = new Lazy(async () => {
      const { importJWK } = await loadJose()
      return (await importJWK(this.#jwk, signingAlgorithm)) as CryptoKey
    })
  }

  /** Whether it is the key of a JWK, under the same `kid`. */
  matches({ kid, n, e }: RsaJwk): boolean {
    return this.kid === kid && this.#jwk.n === n && this.#jwk.e === e
  }

  /** The key as Web Crypto accepts it. It is imported once. */
  get key(): Promise<CryptoKey> | CryptoKey {
    return this.#imported.get()
  }
}

/** Members of private and symmetric keys. An issuer that publishes them has lost the key. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/**
 * Returns the keys of a set that can verify RS256 tokens. All other entries are skipped.
 *
 * @param remembered keys of earlier sets by modulus. Keys that are in it are reused, and the others are added
 */
export function usableKeys(
  entries: readonly unknown[],
  remembered?: LruMap<string, SigningKey>,
): SigningKey[] {
  const keys: SigningKey[] = []
  for (const entry of entries) {
    if (!isSigningJwk(entry)) continue
    const known = remembered?.get(entry.n)
    if (known?.matches(entry)) {
      keys.push(known)
      continue
    }
    const bits = modulusBits(entry.n)
    if (bits === undefined) continue
    const key = new SigningKey(entry, bits)
    remembered?.set(entry.n, key)
    keys.push(key)
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

/** Returns the length of the modulus without leading zeros, or `undefined` if it is not a number. */
function modulusBits(n: string): number | undefined {
  if (!isBase64url(n)) return undefined
  const bytes = fromBase64url(n)
  const first = bytes.findIndex((byte) => byte !== 0)
  return first === -1 ? undefined : (bytes.length - first) * 8 - (Math.clz32(bytes[first] as number) - 24)
}

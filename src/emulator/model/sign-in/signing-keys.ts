import type { CryptoKey, JWK } from 'jose'
import { signingAlgorithm } from '../../../contract/sign-in/oidc.ts'
import { DamagedPart } from '../saved.ts'

interface SigningKey {
  readonly privateKey: CryptoKey
  readonly jwk: JWK & { readonly kid: string }
}

/** What a snapshot contains of the keys: private keys as JWK, newest first. */
export type SavedSigningKeys = readonly object[]

/** Keys that sign tokens. The first one is generated on demand, because that is slow. */
export class SigningKeys {
  #current: Promise<SigningKey> | undefined
  #earlier: readonly SigningKey[]

  constructor([newest, ...earlier]: readonly SigningKey[] = []) {
    this.#current = newest && Promise.resolve(newest)
    this.#earlier = earlier
  }

  /** @throws {DamagedPart} a key is not the private key of its own public key */
  static async restore(saved: SavedSigningKeys): Promise<SigningKeys> {
    const keys = saved.map((jwk, i) =>
      importKey(jwk).catch((cause: unknown) => {
        throw new DamagedPart(`signingKeys.${i} is not a private key`, { cause })
      }),
    )
    return new SigningKeys(await Promise.all(keys))
  }

  async save(): Promise<SavedSigningKeys> {
    const { exportJWK } = await import('#jose')
    return Promise.all((await this.#all()).map(({ privateKey }) => exportJWK(privateKey)))
  }

  /** Returns the public keys, newest first. */
  async published(): Promise<readonly JWK[]> {
    return (await this.#all()).map(({ jwk }) => jwk)
  }

  /** @param type value of `typ` in the token header */
  async sign(claims: Readonly<Record<string, unknown>>, type: string): Promise<string> {
    const { SignJWT } = await import('#jose')
    const { privateKey, jwk } = await this.#newest()
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: signingAlgorithm, kid: jwk.kid, typ: type })
      .sign(privateKey)
  }

  /** @param keepOld whether the previous keys stay in the key set */
  async rotate(keepOld: boolean): Promise<void> {
    const previous = await this.#newest()
    const next = generateKey()
    await next
    this.#earlier = keepOld ? [previous, ...this.#earlier] : []
    this.#current = next
  }

  async #all(): Promise<readonly SigningKey[]> {
    const newest = await this.#newest()
    return [newest, ...this.#earlier]
  }

  #newest(): Promise<SigningKey> {
    this.#current ??= generateKey()
    return this.#current
  }
}

async function generateKey(): Promise<SigningKey> {
  const { exportJWK, generateKeyPair } = await import('#jose')
  // Extractable, so that a snapshot can contain it.
  const pair = await generateKeyPair(signingAlgorithm, { modulusLength: 2048, extractable: true })
  return { privateKey: pair.privateKey, jwk: await publishedForm(await exportJWK(pair.publicKey)) }
}

/** Of 2,048 bits in base64url, which is the size of all keys of emulators. */
const maxMemberLength = 342

async function importKey(jwk: JWK): Promise<SigningKey> {
  // A longer number would be calculated with for minutes, in a thread that cannot be stopped.
  if (Object.values(jwk).some((member) => String(member).length > maxMemberLength))
    throw new TypeError('the key is longer than those of emulators')
  const { importJWK } = await import('#jose')
  const { kty, n, e } = jwk
  const publicKey = await importJWK({ kty, n, e } as JWK, signingAlgorithm)
  const privateKey = await importJWK(jwk, signingAlgorithm, { extractable: true })
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array || !(await isPair(privateKey, publicKey)))
    throw new TypeError('the key is not a private key')
  return { privateKey, jwk: await publishedForm({ kty, n, e } as JWK) }
}

/** Signs once, because a key with a wrong number in it fails only then. */
async function isPair(privateKey: CryptoKey, publicKey: CryptoKey): Promise<boolean> {
  const { subtle } = crypto
  const algorithm = 'RSASSA-PKCS1-v1_5'
  const bytes = new Uint8Array(1)
  return subtle.verify(algorithm, publicKey, await subtle.sign(algorithm, privateKey, bytes), bytes)
}

async function publishedForm(jwk: JWK): Promise<SigningKey['jwk']> {
  const { calculateJwkThumbprint } = await import('#jose')
  // The thumbprint is unique, so that a client never confuses keys of two emulators with the same seed.
  const kid = await calculateJwkThumbprint(jwk)
  return { ...jwk, kid, alg: signingAlgorithm, use: 'sig' }
}

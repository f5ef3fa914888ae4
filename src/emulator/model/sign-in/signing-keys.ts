import type { CryptoKey, JWK } from 'jose'
import { signingAlgorithm } from '../../../contract/sign-in/oidc.ts'

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

  static async restore(saved: SavedSigningKeys): Promise<SigningKeys> {
    return new SigningKeys(await Promise.all(saved.map(importKey)))
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

async function importKey(jwk: JWK): Promise<SigningKey> {
  const { importJWK } = await import('#jose')
  const privateKey = (await importJWK(jwk, signingAlgorithm, { extractable: true })) as CryptoKey
  const { kty, n, e } = jwk
  return { privateKey, jwk: await publishedForm({ kty, n, e } as JWK) }
}

async function publishedForm(jwk: JWK): Promise<SigningKey['jwk']> {
  const { calculateJwkThumbprint } = await import('#jose')
  // The thumbprint is unique, so that a client never confuses keys of two emulators with the same seed.
  const kid = await calculateJwkThumbprint(jwk)
  return { ...jwk, kid, alg: signingAlgorithm, use: 'sig' }
}

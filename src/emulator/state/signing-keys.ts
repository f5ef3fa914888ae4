import type { CryptoKey, JWK } from 'jose'
import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'

interface SigningKey {
  readonly privateKey: CryptoKey
  readonly jwk: JWK & { readonly kid: string }
}

/** Keys that sign tokens. The first one is generated on demand, because that is slow. */
export class SigningKeys {
  #current: Promise<SigningKey> | undefined
  #earlier: SigningKey[] = []

  /** Returns the public keys, newest first. */
  async published(): Promise<readonly JWK[]> {
    const current = await this.#newest()
    return [current, ...this.#earlier].map(({ jwk }) => jwk)
  }

  /** @param type value of `typ` in the token header */
  async sign(claims: Readonly<Record<string, unknown>>, type: string): Promise<string> {
    const { SignJWT } = await import('jose')
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

  #newest(): Promise<SigningKey> {
    this.#current ??= generateKey()
    return this.#current
  }
}

async function generateKey(): Promise<SigningKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose')
  const { privateKey, publicKey } = await generateKeyPair(signingAlgorithm, { modulusLength: 2048 })
  const jwk = await exportJWK(publicKey)
  // The thumbprint is unique, so that a client never confuses keys of two emulators with the same seed.
  const kid = await calculateJwkThumbprint(jwk)
  return { privateKey, jwk: { ...jwk, kid, alg: signingAlgorithm, use: 'sig' } }
}

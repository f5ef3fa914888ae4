import type { CryptoKey, JWK } from 'jose'
import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'

interface SigningKey {
  readonly privateKey: CryptoKey
  readonly jwk: JWK & { readonly kid: string }
}

/** Keys that tokens are signed with. Made when the first one is needed: that takes a moment. */
export class SigningKeys {
  #current: Promise<SigningKey> | undefined
  #earlier: SigningKey[] = []

  /** The public keys, the newest first. */
  async published(): Promise<readonly JWK[]> {
    const current = await this.#newest()
    return [current, ...this.#earlier].map(({ jwk }) => jwk)
  }

  /** @param type value of the header's `typ` */
  async sign(claims: Readonly<Record<string, unknown>>, type: string): Promise<string> {
    const { SignJWT } = await import('jose')
    const { privateKey, jwk } = await this.#newest()
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: signingAlgorithm, kid: jwk.kid, typ: type })
      .sign(privateKey)
  }

  /** @param keepsOld whether the keys before stay published */
  async rotate(keepsOld: boolean): Promise<void> {
    const before = await this.#newest()
    const next = makeKey()
    await next
    this.#earlier = keepsOld ? [before, ...this.#earlier] : []
    this.#current = next
  }

  #newest(): Promise<SigningKey> {
    this.#current ??= makeKey()
    return this.#current
  }
}

async function makeKey(): Promise<SigningKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose')
  const { privateKey, publicKey } = await generateKeyPair(signingAlgorithm, { modulusLength: 2048 })
  const jwk = await exportJWK(publicKey)
  // Named after itself: keys of two emulators with the same seed are not mistaken for one another.
  const kid = await calculateJwkThumbprint(jwk)
  return { privateKey, jwk: { ...jwk, kid, alg: signingAlgorithm, use: 'sig' } }
}

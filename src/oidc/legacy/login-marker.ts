import { equalBytes, hmacSha256 } from '#platform'
import { loginMarkerMs } from '../../contract/sign-in/legacy.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { fromBase64url, isBase64url, toBase64url } from '../../runtime/base64url.ts'
import type { Store } from '../../stores/store.ts'

/** Read once, when the markers are made. */
export interface LoginMarkerOptions {
  /** Signs the markers; not blank. */
  readonly secret: string
  /** Remembers which are spent: shared by all processes that take callbacks. */
  readonly store: Store
  /**
   * The clock.
   *
   * @default the system's clock
   */
  readonly now?: (() => Date) | undefined
}

/** One-time marks that a sign-in was begun here. */
export interface LoginMarkers {
  /**
   * A mark for one sign-in: put it into a cookie before the browser leaves.
   *
   * @see service contract, section 4.8
   *
   * @example
   * const cookie = `login=${await markers.create()}; HttpOnly; Secure; SameSite=Lax`
   */
  create(): Promise<string>
  /**
   * Whether the mark is ours, younger than 10 minutes, and was never spent: true once.
   *
   * @see service contract, section 4.8
   *
   * @example
   * if (!(await markers.spend(marker))) throw new Error('not a sign-in that was begun here')
   */
  spend(marker: string): Promise<boolean>
}

const form = /^(?<id>[A-Za-z0-9_-]{43})\.(?<issuedAt>\d{1,16})\.(?<mac>[A-Za-z0-9_-]{43})$/

/**
 * The check against forged callbacks of the legacy sign-on, which had no `state`: HMAC-signed, 10 minutes, spent
 * in a store.
 *
 * @deprecated Sign people in with `OidcClient`, whose `state` does this.
 * @throws {ConfigurationError} the secret is blank
 * @see service contract, section 4.8
 *
 * @example
 * const markers = loginMarkers({ secret, store: memoryStore() })
 * const marker = await markers.create()
 */
export function loginMarkers({ secret, store, now = () => new Date() }: LoginMarkerOptions): LoginMarkers {
  if (typeof secret !== 'string' || secret.trim() === '')
    throw new ConfigurationError('secret must not be blank')
  const macOf = (text: string) => hmacSha256(secret, `login-marker.${text}`)
  return {
    async create() {
      const id = toBase64url(crypto.getRandomValues(new Uint8Array(32)))
      const text = `${id}.${now().getTime()}`
      return `${text}.${toBase64url(await macOf(text))}`
    },
    async spend(marker) {
      const { id, issuedAt, mac } = form.exec(String(marker))?.groups ?? {}
      if (!id || !issuedAt || !mac || !isBase64url(mac)) return false
      if (!equalBytes(await macOf(`${id}.${issuedAt}`), fromBase64url(mac))) return false
      const leftMs = Number(issuedAt) + loginMarkerMs - now().getTime()
      if (leftMs <= 0 || leftMs > loginMarkerMs) return false
      return store.set(`login-marker:${id}`, 'spent', { ifAbsent: true, ttlMs: leftMs })
    },
  }
}

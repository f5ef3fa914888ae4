import { loginMarkerMs } from '../../contract/sign-in/legacy.ts'
import type { ObservationOptions } from '../../observe/observation.ts'
import { Stream } from '../../observe/stream.ts'
import { aFunction, checkOptions, errorDetailRule, readSecrets } from '../../options/rules.ts'
import { fromBase64url, isBase64url, toBase64url } from '../../runtime/bytes.ts'
import { equalBytes, hmacSha256 } from '../../runtime/crypto.ts'
import { realTiming } from '../../runtime/timing.ts'
import { guardedStore } from '../../stores/operation.ts'
import type { Store } from '../../stores/store.ts'
import { secretAdvice } from '../key-command.ts'
import { useOnce } from '../use-once.ts'

/** Options of {@link loginMarkers}. They are read once. */
export interface LoginMarkerOptions extends Pick<ObservationOptions, 'errorDetail'> {
  /**
   * Signs the markers. If you pass several, the first one signs, and markers of all are accepted. To rotate it, deploy
   * `[old, new]`, then `[new, old]`, and `[new]` after 10 minutes. In a list, `undefined` and `''` are ignored.
   *
   * @throws {ConfigurationError} if it is missing or blank, contains a line break or has spaces around it
   */
  readonly secret: string | readonly (string | undefined)[] | undefined
  /** Records which markers were used. Use a shared store if you run more than one process. */
  readonly store: Store
  /**
   * Returns the current time.
   *
   * @default the system's clock
   */
  readonly now?: (() => Date) | undefined
}

/** Creates and checks one-time markers, which show that a sign-in was started by your app. */
export interface LoginMarkers {
  /**
   * Creates a marker for one sign-in. Set it as a cookie before you redirect the browser.
   *
   * @example
   * const cookie = `login=${await markers.create()}; HttpOnly; Secure; SameSite=Lax`
   */
  create(): Promise<string>
  /**
   * Uses up a marker.
   *
   * @returns true if the marker has a valid signature, is less than 10 minutes old and was not used before. The clocks
   *   of the processes must agree within a minute
   *
   * @example
   * if (!(await markers.spend(marker))) throw new Error('this sign-in was not started here')
   */
  spend(marker: string): Promise<boolean>
}

const form = /^(?<id>[A-Za-z0-9_-]{43})\.(?<issuedAt>\d{1,16})\.(?<mac>[A-Za-z0-9_-]{43})$/

/**
 * Protects the legacy sign-on, which has no `state`, against forged callbacks. A marker is signed with HMAC, valid for
 * 10 minutes, and can be used once.
 *
 * @deprecated Sign people in with `OidcClient`. Its `state` has this purpose.
 * @throws {ConfigurationError} an option is missing or invalid
 *
 * @example
 * const markers = loginMarkers({ secret, store: memoryStore() })
 * const marker = await markers.create()
 */
export function loginMarkers(options: LoginMarkerOptions): LoginMarkers {
  const owner = 'loginMarkers'
  checkOptions(owner, options, {
    secret: true,
    store: true,
    now: aFunction,
    errorDetail: errorDetailRule,
  })
  const { now = () => new Date() } = options
  const secrets = readSecrets(`${owner}: secret`, options.secret, secretAdvice)
  const store = guardedStore(owner, options.store, 'the store of login markers', {
    stream: new Stream({ observation: options, timing: realTiming }),
  })
  /** By each secret, in their order. */
  const macsOf = (text: string) => Promise.all(secrets.map((secret) => hmacSha256(secret, `login-marker.${text}`)))
  return {
    async create() {
      const id = toBase64url(crypto.getRandomValues(new Uint8Array(32)))
      const text = `${id}.${now().getTime()}`
      const [mac] = await macsOf(text)
      return `${text}.${toBase64url(mac as Uint8Array)}`
    },
    async spend(marker) {
      const { id, issuedAt, mac } = form.exec(String(marker))?.groups ?? {}
      if (!id || !issuedAt || !mac || !isBase64url(mac)) return false
      const sent = fromBase64url(mac)
      const matches = (await macsOf(`${id}.${issuedAt}`)).map((each) => equalBytes(each, sent))
      if (!matches.includes(true)) return false
      const leftMs = Number(issuedAt) + loginMarkerMs - now().getTime()
      if (leftMs <= 0 || leftMs > loginMarkerMs) return false
      return useOnce(store, `login-marker:${id}`, loginMarkerMs)
    },
  }
}

import { ConfigurationError, Rejection } from '../../errors/sdk-error.ts'
import { equalTexts, hmacSha256 } from '../../runtime/crypto.ts'
import type { Timing } from '../../runtime/timing.ts'
import { decryptText, type EncryptedText, encryptText } from '../encryption.ts'
import { maxClockDifferenceMs } from '../use-once.ts'
import type { AuthorizationRequest } from './authorization.ts'

/** A sign-in that was started, without the URL of the consent page. */
export type PendingSignIn = Omit<AuthorizationRequest, 'url'>

/** What a cookie contains. */
interface SealedSignIn {
  readonly signIn: PendingSignIn
  /** The path to go to after the sign-in. Cookies of 1.0.0-rc.2 have none. */
  readonly returnTo?: string
  /** When the sign-in was started, in milliseconds since the epoch. */
  readonly startedAt: number
}

/** The sign-in of a callback, or why there is none. */
export type FoundSignIn =
  | { readonly signIn: PendingSignIn; readonly returnTo: string; readonly fault?: never }
  | { readonly signIn?: never; readonly fault: SignInFault }

/** `lost`: there is no cookie. `unreadable`: it was changed, moved, or encrypted with another secret. */
export type SignInFault = 'lost' | 'unreadable' | 'expired'

/** A shorter secret is rejected. In characters. */
export const minCookieSecretLength = 32
export const isCookieSecret = (secret: unknown): secret is string =>
  typeof secret === 'string' && secret.trim().length >= minCookieSecretLength
/** The time that a person has on the consent page. */
export const signInTtlMs = 600_000

/** Maximum number of sign-ins in progress in one browser. Many servers reject headers of more than 8 KiB. */
const maxSignIns = 5
/** Maximum number of cookies that are left alone, because another app on this host may have set them. */
const maxOthers = 2
/** Maximum number of cookies that one response deletes, because proxies limit the headers of a response to 4 KiB. */
const maxRemovals = 8
/** Browsers ignore a cookie whose name and value are longer. */
const maxCookieLength = 4096
/** Browsers let neither subdomains nor plain http set a cookie with this prefix. */
const hostPrefix = '__Host-'
const nameForm = /^(?:__Host-)?svc_sign_in_[\w-]{0,16}$/

/**
 * The cookies that hold sign-ins in progress: one for each sign-in, so that several tabs can sign in at the same time.
 * A cookie is encrypted and bound to its name.
 */
export class SignInCookies {
  readonly #secrets: readonly string[]
  #keys: Promise<readonly Uint8Array[]> | undefined
  readonly #timing: Pick<Timing, 'wallClock'>

  /** @param secrets the first one encrypts, and all decrypt */
  constructor(secrets: readonly string[], timing: Pick<Timing, 'wallClock'>) {
    this.#secrets = secrets
    this.#timing = timing
  }

  /**
   * Returns the `Set-Cookie` values that store a new sign-in, and delete the oldest ones if there are too many.
   *
   * @param header the `Cookie` header, if the request has one
   * @throws {Rejection} the sign-in does not fit into a cookie
   */
  async add(signIn: PendingSignIn, returnTo: string, header: string | undefined): Promise<readonly string[]> {
    const name = cookieName(signIn)
    const sealed: SealedSignIn = { signIn, returnTo, startedAt: this.#timing.wallClock() }
    const [key] = await this.#encryptionKeys()
    const encrypted = await encryptText(key as Uint8Array, name, JSON.stringify(sealed))
    const value = parts.map((part) => encrypted[part]).join('.')
    if (name.length + value.length > maxCookieLength) {
      const message = `a sign-in does not fit into a cookie of ${maxCookieLength} bytes: use a shorter redirectUri`
      throw new Rejection((operation) => new ConfigurationError({ message: `${operation}: ${message}` }))
    }
    const removed = (await this.#oldest(header)).map((old) => format(old, '', 0))
    return [...removed, format(name, value, signInTtlMs / 1000)]
  }

  /** Returns the `Set-Cookie` value that deletes the cookie of a sign-in. */
  remove(signIn: PendingSignIn): string {
    return format(cookieName(signIn), '', 0)
  }

  /**
   * Finds the sign-in of a callback.
   *
   * @param header the `Cookie` header, if the request has one
   */
  async find(header: string | undefined, state: string): Promise<FoundSignIn> {
    let fault: SignInFault = 'lost'
    const own = shortName(state)
    for (const [name, value] of signInCookies(header)) {
      // Both names: which one was set depends on the scheme of the redirect URI, which the callback does not know.
      if (name !== own && name !== hostPrefix + own) continue
      const sealed = await this.#open(name, value)
      // Part of the state is in the name of the cookie. The whole of it is only inside.
      const isOwn = sealed !== undefined && equalTexts(sealed.signIn.state, state)
      if (isOwn && this.#isCurrent(sealed)) return { signIn: sealed.signIn, returnTo: sealed.returnTo ?? '/' }
      fault = isOwn ? 'expired' : 'unreadable'
    }
    return { fault }
  }

  /** Returns the names of the cookies to delete before a new one is stored, the oldest first. */
  async #oldest(header: string | undefined): Promise<readonly string[]> {
    const startedAt = new Map<string, number>()
    const others = new Set<string>()
    for (const [name, value] of signInCookies(header)) {
      const sealed = await this.#open(name, value)
      if (sealed === undefined) others.add(name)
      else startedAt.set(name, Math.max(this.#isCurrent(sealed) ? sealed.startedAt : 0, startedAt.get(name) ?? 0))
    }
    const oldestFirst = [...startedAt].sort(([, a], [, b]) => a - b).map(([name]) => name)
    const removed = [
      ...allBut(maxSignIns - 1, oldestFirst),
      ...allBut(
        maxOthers,
        [...others].filter((name) => !startedAt.has(name)),
      ),
    ]
    return removed.slice(0, maxRemovals)
  }

  /** The first one encrypts. */
  #encryptionKeys(): Promise<readonly Uint8Array[]> {
    this.#keys ??= Promise.all(this.#secrets.map((secret) => hmacSha256(secret, keyLabel)))
    return this.#keys
  }

  async #open(name: string, value: string): Promise<SealedSignIn | undefined> {
    const texts = value.split('.')
    if (texts.length !== parts.length) return undefined
    const encrypted = Object.fromEntries(parts.map((part, i) => [part, texts[i]]))
    const text = await decryptText(await this.#encryptionKeys(), name, encrypted as unknown as EncryptedText)
    return text === undefined ? undefined : JSON.parse(text)
  }

  #isCurrent({ startedAt }: SealedSignIn): boolean {
    const age = this.#timing.wallClock() - startedAt
    return age < signInTtlMs && age >= -maxClockDifferenceMs
  }
}

const allBut = (kept: number, names: readonly string[]) => names.slice(0, Math.max(0, names.length - kept))

/** The parts of a JWE in the value of a cookie, in their order. */
const parts = ['protected', 'iv', 'ciphertext', 'tag'] as const
/** The same secret may have other uses. Each has its own key. */
const keyLabel = 'sign-in cookie, A256GCM'

function* signInCookies(header = ''): Generator<readonly [name: string, value: string]> {
  for (const pair of header.split(/; */)) {
    const [name = '', value = ''] = pair.split('=')
    if (nameForm.test(name)) yield [name, value]
  }
}

function format(name: string, value: string, maxAgeSeconds: number): string {
  const secure = name.startsWith(hostPrefix) ? '; Secure' : ''
  return `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

const isSecure = ({ redirectUri }: PendingSignIn) => new URL(redirectUri).protocol === 'https:'
const shortName = (state: string) => `svc_sign_in_${state.slice(0, 16).replace(/[^\w-]/g, '')}`
const cookieName = (signIn: PendingSignIn) => (isSecure(signIn) ? hostPrefix : '') + shortName(signIn.state)

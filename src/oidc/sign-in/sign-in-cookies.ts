import { fromBase64url, isBase64url, toBase64url } from '../../runtime/base64url.ts'
import { equalBytes } from '../../runtime/bytes.ts'
import { hmacSha256 } from '../../runtime/hmac.ts'
import type { AuthorizationRequest } from './authorization.ts'

type SignInFacts = Pick<AuthorizationRequest, 'state' | 'redirectUri'>

/** A shorter secret is rejected. In characters. */
export const minCookieSecretLength = 32
/** Browsers let neither subdomains nor plain http set a cookie with this prefix. */
const hostPrefix = '__Host-'

/**
 * The cookies that bind sign-ins to their browser: one for each sign-in, so that several tabs can sign in at the same
 * time. The value is an HMAC of the cookie's name and the state.
 */
export class SignInCookies {
  readonly #secrets: readonly string[]

  /** @param secrets the first one signs, all are accepted */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
  }

  /** Returns the `Set-Cookie` value that binds a sign-in to the browser. */
  async create(signIn: SignInFacts, ttlMs: number): Promise<string> {
    const mac = await hmacSha256(this.#secrets[0] as string, signedText(cookieName(signIn), signIn.state))
    return format(signIn, toBase64url(mac), ttlMs / 1000)
  }

  /** Returns the `Set-Cookie` value that deletes the cookie of a sign-in. */
  remove(signIn: SignInFacts): string {
    return format(signIn, '', 0)
  }

  /**
   * Whether a request comes from the browser of a sign-in: it has the cookie, under the name that it was set with.
   *
   * @param header the `Cookie` header, if the request has one
   */
  async isBound(header: string | undefined, state: string): Promise<boolean> {
    const names = [hostPrefix, ''].map((prefix) => prefix + shortName(state))
    let isFound = false
    for (const pair of (header ?? '').split(/; */)) {
      const [name = '', value = ''] = pair.split('=')
      if (!names.includes(name) || value === '' || !isBase64url(value)) continue
      for (const secret of this.#secrets) {
        const mac = await hmacSha256(secret, signedText(name, state))
        isFound = equalBytes(mac, fromBase64url(value)) || isFound
      }
    }
    return isFound
  }
}

function format(signIn: SignInFacts, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(signIn) ? '; Secure' : ''
  return `${cookieName(signIn)}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

const isSecure = ({ redirectUri }: SignInFacts) => new URL(redirectUri).protocol === 'https:'
const shortName = (state: string) => `svc_sign_in_${state.slice(0, 16).replace(/[^\w-]/g, '')}`
const cookieName = (signIn: SignInFacts) => (isSecure(signIn) ? hostPrefix : '') + shortName(signIn.state)
/** The name is signed too, because a value must not work under a name that others may write. */
const signedText = (name: string, state: string) => `sign-in.${name}.${state}`

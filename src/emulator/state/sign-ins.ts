import { codeLifetimeMs } from '../../contract/sign-in/oidc.ts'
import type { EmulatorUser } from '../options/sign-in-options.ts'
import { serviceError } from '../server/service-error.ts'
import type { Clock } from './clock.ts'
import type { Randomness } from './randomness.ts'

/** What an application asked for, found valid. */
export interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly state: string
  readonly nonce: string | undefined
  /** Of PKCE, S256; `undefined` where it was not used. */
  readonly challenge: string | undefined
}

/** Who signed in where, for what. */
export interface Login {
  readonly user: EmulatorUser
  readonly clientId: string
  readonly scopes: readonly string[]
}

interface Code extends AuthorizationRequest {
  readonly user: EmulatorUser
  readonly expiresAt: number
}

/** Tokens that were issued together, known by what became of the refresh token. */
export interface IssuedTokens {
  readonly login: Login
  readonly issuedAt: Date
  readonly status: 'live' | 'rotated' | 'revoked'
}

type TokensDraft = { -readonly [Field in keyof IssuedTokens]: IssuedTokens[Field] }

const invalidGrant = (message: string) => serviceError('invalid_grant', { status: 400, message })

/** Codes and refresh tokens, and the one place where they are spent (contract, sections 4.7 and 5). */
export class SignIns {
  readonly #clock: Clock
  readonly #random: Randomness
  readonly #codes = new Map<string, Code>()
  readonly #refreshTokens = new Map<string, TokensDraft>()

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Randomness }) {
    this.#clock = clock
    this.#random = random
  }

  /** The person agreed. */
  issueCode(request: AuthorizationRequest, user: EmulatorUser): string {
    const code = this.#random.id('code_')
    this.#codes.set(code, { ...request, user, expiresAt: this.#clock.now().getTime() + codeLifetimeMs })
    return code
  }

  /**
   * Spends a code, whether it fits or not: nobody gets a second try.
   *
   * @param given `challenge`: made of the verifier that was sent, `undefined` where none was
   */
  redeem(
    code: string,
    given: Pick<AuthorizationRequest, 'clientId' | 'redirectUri' | 'challenge'>,
  ): { readonly login: Login; readonly nonce: string | undefined } {
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    if (found === undefined) throw invalidGrant('The code is unknown, or was used before.')
    if (found.expiresAt <= this.#clock.now().getTime()) throw invalidGrant('The code has expired.')
    if (found.clientId !== given.clientId) throw invalidGrant('The code belongs to another client.')
    if (found.redirectUri !== given.redirectUri)
      throw invalidGrant('redirect_uri is not the one of the authorization.')
    if (found.challenge !== given.challenge) throw invalidGrant('code_verifier does not fit the challenge.')
    const { user, clientId, scopes, nonce } = found
    return { login: { user, clientId, scopes }, nonce }
  }

  issueRefreshToken(login: Login): string {
    const token = this.#random.id('rt_')
    this.#refreshTokens.set(token, { login, issuedAt: this.#clock.now(), status: 'live' })
    return token
  }

  /** Oldest first, without the tokens themselves. */
  issued(): readonly IssuedTokens[] {
    return [...this.#refreshTokens.values()]
  }

  /** Spends a refresh token. One that was spent before takes all of that user and client with it. */
  rotate(token: string, clientId: string): Login {
    const found = this.#refreshTokens.get(token)
    if (found === undefined || found.login.clientId !== clientId)
      throw invalidGrant('The refresh token is unknown.')
    if (found.status === 'rotated') {
      this.revokeAll(found.login)
      throw invalidGrant('The refresh token was used before: all of this user and client are revoked.')
    }
    if (found.status === 'revoked') throw invalidGrant('The refresh token was revoked.')
    found.status = 'rotated'
    return found.login
  }

  /** The person's logins end: codes that were not exchanged yet count no more, as do the refresh tokens. */
  endLogins({ user, clientId }: Omit<Login, 'scopes'>): void {
    for (const [code, found] of this.#codes)
      if (found.user.sub === user.sub && found.clientId === clientId) this.#codes.delete(code)
    this.revokeAll({ user, clientId })
  }

  revokeAll({ user, clientId }: Omit<Login, 'scopes'>): void {
    for (const token of this.#refreshTokens.values()) {
      const { login, status } = token
      if (login.user.sub === user.sub && login.clientId === clientId && status === 'live')
        token.status = 'revoked'
    }
  }
}

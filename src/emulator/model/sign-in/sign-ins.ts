import { codeLifetimeMs } from '../../../contract/sign-in/oidc.ts'
import type { Clock } from '../clock.ts'
import type { Readings } from '../options/readings.ts'
import type { EmulatorUser } from '../options/sign-in-options.ts'
import type { Randomness } from '../randomness.ts'
import type { Saved } from '../saved.ts'
import { type ServiceError, serviceError } from '../service-error.ts'

/** A validated authorization request. */
export interface ConsentRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly state: string
  readonly nonce: string | undefined
  /** The PKCE challenge (S256), or `undefined` without PKCE. */
  readonly challenge: string | undefined
}

/** A user who signed in to a client with certain scopes. */
export interface Login {
  readonly user: EmulatorUser
  readonly clientId: string
  readonly scopes: readonly string[]
}

interface Code extends ConsentRequest {
  readonly user: EmulatorUser
  readonly expiresAt: number
}

/** Tokens that were issued together. `status` is that of the refresh token. */
export interface IssuedTokens {
  readonly login: Login
  readonly issuedAt: Date
  readonly status: 'live' | 'rotated' | 'revoked'
}

type TokensDraft = { -readonly [Field in keyof IssuedTokens]: IssuedTokens[Field] }

/** Issues and redeems codes and refresh tokens (contract, sections 4.7 and 5). */
export class SignIns {
  readonly #clock: Clock
  readonly #random: Randomness
  readonly #invalidGrant: Readings['invalidGrant']
  readonly #codes: Map<string, Code>
  readonly #refreshTokens: Map<string, TokensDraft>

  /** @param invalidGrant status of the error `invalid_grant` */
  constructor(
    { clock, random }: { readonly clock: Clock; readonly random: Randomness },
    invalidGrant: Readings['invalidGrant'],
    saved?: Saved<SignIns>,
  ) {
    this.#codes = new Map(saved?.codes)
    this.#refreshTokens = new Map(saved?.refreshTokens)
    this.#clock = clock
    this.#random = random
    this.#invalidGrant = invalidGrant
  }

  save() {
    return { codes: this.#codes, refreshTokens: this.#refreshTokens }
  }

  issueCode(request: ConsentRequest, user: EmulatorUser): string {
    const code = this.#random.id('code_')
    this.#codes.set(code, { ...request, user, expiresAt: this.#clock.now().getTime() + codeLifetimeMs })
    return code
  }

  /**
   * Redeems a code. The code is used up even if the parameters do not match.
   *
   * @param presented `challenge` is derived from the verifier in the request, and `undefined` without one
   */
  redeem(
    code: string,
    presented: Pick<ConsentRequest, 'clientId' | 'redirectUri' | 'challenge'>,
  ): { readonly login: Login; readonly nonce: string | undefined } {
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    if (found === undefined) throw this.#grantError('The code is unknown or was already used.')
    if (found.expiresAt <= this.#clock.now().getTime()) throw this.#grantError('The code has expired.')
    if (found.clientId !== presented.clientId) throw this.#grantError('The code belongs to another client.')
    if (found.redirectUri !== presented.redirectUri)
      throw this.#grantError('redirect_uri differs from that of the authorization request.')
    if (found.challenge !== presented.challenge) throw this.#grantError('code_verifier does not match the challenge.')
    const { user, clientId, scopes, nonce } = found
    return { login: { user, clientId, scopes }, nonce }
  }

  issueRefreshToken(login: Login): string {
    const token = this.#random.id('rt_')
    this.#refreshTokens.set(token, { login, issuedAt: this.#clock.now(), status: 'live' })
    return token
  }

  /** Returns all issued tokens, oldest first, without their values. */
  issued(): readonly IssuedTokens[] {
    return [...this.#refreshTokens.values()]
  }

  /** Rotates a refresh token. If it was rotated before, all refresh tokens of that user and client are revoked. */
  rotate(token: string, clientId: string): Login {
    const found = this.#refreshTokens.get(token)
    if (found === undefined || found.login.clientId !== clientId)
      throw this.#grantError('The refresh token is unknown.')
    if (found.status === 'rotated') {
      this.revokeAll(found.login)
      throw this.#grantError(
        'The refresh token was already used. All refresh tokens of this user and client are now revoked.',
      )
    }
    if (found.status === 'revoked') throw this.#grantError('The refresh token was revoked.')
    found.status = 'rotated'
    return found.login
  }

  /** Revokes all codes and refresh tokens of a user and client. */
  endLogins({ user, clientId }: Omit<Login, 'scopes'>): void {
    for (const [code, found] of this.#codes)
      if (found.user.sub === user.sub && found.clientId === clientId) this.#codes.delete(code)
    this.revokeAll({ user, clientId })
  }

  revokeAll({ user, clientId }: Omit<Login, 'scopes'>): void {
    for (const token of this.#refreshTokens.values()) {
      const { login, status } = token
      if (login.user.sub === user.sub && login.clientId === clientId && status === 'live') token.status = 'revoked'
    }
  }

  #grantError(message: string): ServiceError {
    return serviceError('invalid_grant', { status: this.#invalidGrant, message })
  }
}

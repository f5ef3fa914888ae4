import type { Request } from 'express'
import type { IdTokenClaims, OidcClient, StartedSignIn } from 'identity-service-sdk'
import { Strategy } from 'passport'

declare module 'express-session' {
  interface SessionData {
    /** The sign-in that this browser has started. It contains secrets. */
    signIn: StartedSignIn
  }
}

/** Returns the user of this app that the claims identify. */
type FindUser = (claims: IdTokenClaims) => Express.User | Promise<Express.User>

// A callback is compared with it if the browser has started no sign-in. An empty state equals no other.
const nothingStarted: StartedSignIn = { state: '', nonce: '', codeVerifier: undefined }

/** Signs people in with the identity service. It serves two routes: the start of a sign-in, and the redirect URI. */
export class IdentityServiceStrategy extends Strategy {
  readonly name = 'identity'
  // Passport calls `authenticate` on an object that inherits from this one, which has no `#private` members.
  private readonly oidc: OidcClient
  private readonly findUser: FindUser

  constructor(oidc: OidcClient, findUser: FindUser) {
    super()
    this.oidc = oidc
    this.findUser = findUser
  }

  // Passport does not wait for a promise, so errors go through `error`.
  override authenticate(req: Request): void {
    const isCallback = ['code', 'error', 'state'].some((name) => name in req.query)
    const step = isCallback ? this.finish(req) : this.start(req)
    step.catch((error) => this.error(error))
  }

  private async start({ session }: Request): Promise<void> {
    const { url, ...started } = await this.oidc.createAuthorization()
    session.signIn = started
    this.redirect(url)
  }

  private async finish({ session, originalUrl }: Request): Promise<void> {
    const { signIn = nothingStarted } = session
    delete session.signIn // A sign-in is used once.
    const { claims } = await this.oidc.handleCallback(originalUrl, signIn)
    // Passport regenerates the session, so that an id from before the sign-in is worthless.
    this.success(await this.findUser(claims))
  }
}

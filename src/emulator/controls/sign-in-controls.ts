import { authorize } from '../../contract/sign-in/oidc.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import type { EmulatorUser } from '../options/sign-in-options.ts'
import { approveAuthorization, denyAuthorization } from '../pages/consent-page.ts'
import { readAuthorization } from '../routes/authorization.ts'
import { ServiceError } from '../server/service-error.ts'
import type { ServiceState } from '../state/service-state.ts'
import type { ConsentRequest } from '../state/sign-ins.ts'

/** Simulates a person on the consent page, and the operator who rotates signing keys. */
export interface SignInControls {
  /**
   * Simulates a person who agrees on the consent page.
   *
   * @param authorizationUrl URL of the authorization request, to which the application redirects the browser
   * @param options `user`: who signs in, by `sub` or email. Defaults to the first user of the option `users`
   * @returns the callback URL to which the service would redirect the browser. If the service rejects the request, the
   *   URL contains the error
   * @throws {EmulatorError} the user does not exist, or the client or the redirect URI is wrong, so that the service
   *   would not redirect the browser
   *
   * @example
   * const login = await oidc.createAuthorization()
   * const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
   */
  readonly approve: (
    authorizationUrl: string | URL,
    options?: { readonly user?: string | undefined },
  ) => string
  /**
   * Simulates a person who declines on the consent page.
   *
   * @returns the callback URL, with the error `access_denied`
   * @throws {EmulatorError} the client or the redirect URI is wrong
   *
   * @example
   * const { url } = await oidc.createAuthorization()
   * const callback = emulator.signIn.deny(url)
   */
  readonly deny: (authorizationUrl: string | URL) => string
  /**
   * Generates a new signing key, which signs all further tokens.
   *
   * @param options `keepOld`: whether the previous keys stay in the key set, so that older tokens stay valid. Defaults
   *   to true
   *
   * @example
   * await emulator.signIn.rotateKeys({ keepOld: false })
   */
  readonly rotateKeys: (options?: { readonly keepOld?: boolean | undefined }) => Promise<void>
}

/** @param state called by each control, because a reset creates a new state */
export function signInControls(state: () => ServiceState): SignInControls {
  /** Returns the callback URL that `decide` creates, or the one with the error if the request is invalid. */
  const visit = (
    call: string,
    address: string | URL,
    decide: (request: ConsentRequest) => string,
  ): string => {
    const request = read(call, state(), address)
    return 'location' in request ? request.location : decide(request)
  }
  return {
    approve: (address, { user } = {}) =>
      visit('signIn.approve', address, (request) =>
        approveAuthorization(state(), request, findUser(state(), user)),
      ),
    deny: (address) => visit('signIn.deny', address, denyAuthorization),
    rotateKeys: ({ keepOld = true } = {}) => state().signingKeys.rotate(keepOld),
  }
}

function read(call: string, { settings }: ServiceState, address: string | URL) {
  if (!URL.canParse(String(address)) || !new URL(address).pathname.endsWith(authorize.path))
    throw new EmulatorError({
      message: `${call}: pass the URL of an authorization request, such as the url that createAuthorization returns`,
    })
  try {
    return readAuthorization(settings, new URL(address).searchParams)
  } catch (error) {
    if (error instanceof ServiceError)
      throw new EmulatorError({ message: `${call}: ${error.facts.code}: ${error.message}` })
    throw error
  }
}

function findUser({ settings: { users } }: ServiceState, ref: string | undefined): EmulatorUser {
  const user = ref === undefined ? users[0] : users.find(({ sub, email }) => sub === ref || email === ref)
  if (user === undefined)
    throw new EmulatorError({
      message: `signIn.approve: the user does not exist: ${ref}. Pass the sub or the email of a user of the option users`,
    })
  return user
}

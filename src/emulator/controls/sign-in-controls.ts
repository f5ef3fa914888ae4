import { authorize } from '../../contract/sign-in/oidc.ts'
import { EmulatorError } from '../emulator-error.ts'
import type { EmulatorUser } from '../options/sign-in-options.ts'
import { approveAuthorization, denyAuthorization } from '../pages/consent-page.ts'
import { readAuthorization } from '../routes/authorization.ts'
import { ServiceError } from '../server/service-error.ts'
import type { ServiceState } from '../state/service-state.ts'
import type { AuthorizationRequest } from '../state/sign-ins.ts'

/** What a person does at the consent page, and the operator behind it. */
export interface SignInControls {
  /**
   * The person agrees.
   *
   * @param authorizationUrl where the application sends the browser
   * @param options `user`: who they are, by `sub` or email; default the first of the option `users`
   * @returns the address of the callback that the browser would be sent to; of a request that the service
   *   refuses, with its error
   * @throws {EmulatorError} no such user, or a request that nobody can be sent back from: the client or the
   *   redirect URI is wrong
   * @see service contract, section 4.7
   *
   * @example
   * const login = await oidc.createAuthorization()
   * const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
   */
  approve(authorizationUrl: string | URL, options?: { readonly user?: string | undefined }): string
  /**
   * The person declines: the callback says `access_denied`.
   *
   * @throws {EmulatorError} as `approve`
   * @see service contract, section 4.7
   *
   * @example
   * const { url } = await oidc.createAuthorization()
   * const callback = emulator.signIn.deny(url)
   */
  deny(authorizationUrl: string | URL): string
  /**
   * New tokens are signed with a new key. Takes a moment: the key is made.
   *
   * @param options `keepOld`: whether the keys before stay in the key set, so that older tokens hold; default true
   * @see service contract, section 4.7
   *
   * @example
   * await emulator.signIn.rotateKeys({ keepOld: false })
   */
  rotateKeys(options?: { readonly keepOld?: boolean | undefined }): Promise<void>
}

/** @param current asked at each call: a reset makes a new state */
export function signInControls(current: () => ServiceState): SignInControls {
  /** What happens at the consent page, or where the browser is sent instead of it. */
  const visit = (address: string | URL, act: (request: AuthorizationRequest) => string): string => {
    const request = read(current(), address)
    return 'location' in request ? request.location : act(request)
  }
  return {
    approve: (address, { user } = {}) =>
      visit(address, (request) => approveAuthorization(current(), request, findUser(current(), user))),
    deny: (address) => visit(address, denyAuthorization),
    rotateKeys: ({ keepOld = true } = {}) => current().signingKeys.rotate(keepOld),
  }
}

function read({ settings }: ServiceState, address: string | URL) {
  if (!URL.canParse(String(address)) || !new URL(address).pathname.endsWith(authorize.path))
    throw new EmulatorError('signIn takes the address of an authorization, as createAuthorization makes it')
  try {
    return readAuthorization(settings.oidc, new URL(address).searchParams)
  } catch (error) {
    if (error instanceof ServiceError) throw new EmulatorError(`${error.facts.code}: ${error.message}`)
    throw error
  }
}

function findUser({ settings: { users } }: ServiceState, named: string | undefined): EmulatorUser {
  const user =
    named === undefined ? users[0] : users.find(({ sub, email }) => sub === named || email === named)
  if (user === undefined) throw new EmulatorError(`no user is known as ${named}`)
  return user
}

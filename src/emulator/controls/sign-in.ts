import { authorize } from '../../contract/sign-in/oidc.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import type { EmulatorUser } from '../model/options/sign-in-options.ts'
import { ServiceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import type { ConsentRequest } from '../model/sign-in/sign-ins.ts'
import { approveAuthorization, denyAuthorization, readAuthorization } from '../service/authorization.ts'

/** Returns the callback URL of a person who agrees, or the one with the error if the request is invalid. */
export const approveSignIn = (state: ServiceState, url: string, user: string | undefined) =>
  visit('signIn.approve', state, url, (request) => approveAuthorization(state, request, findUser(state, user)))

/** Returns the callback URL of a person who declines. */
export const denySignIn = (state: ServiceState, url: string) => visit('signIn.deny', state, url, denyAuthorization)

function visit(
  call: string,
  { settings }: ServiceState,
  url: string,
  decide: (request: ConsentRequest) => string,
): string {
  if (!URL.canParse(url) || !new URL(url).pathname.endsWith(authorize.path))
    throw new EmulatorError({
      message: `${call}: pass the URL of an authorization request, such as the url that createAuthorization returns`,
    })
  try {
    const request = readAuthorization(settings, new URL(url).searchParams)
    return 'location' in request ? request.location : decide(request)
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

import type { Endpoint } from '../../contract/endpoint.ts'
import { legacyEndpoints, legacyExchangeCode } from '../../contract/sign-in/legacy.ts'
import { authorize, exchangeCode, oidcEndpoints, readKeys } from '../../contract/sign-in/oidc.ts'
import type { EmulatorRequest } from '../model/request.ts'
import type { RequestDraft } from '../model/request-log.ts'
import { serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import { handleTokenRequest } from './sign-in-token.ts'

/** A path whose responses have no envelope: a page, or bare JSON. */
interface SignInRoute {
  readonly method: string
  readonly path: string
  respond(request: EmulatorRequest, record: RequestDraft): Promise<Response>
}

/** The endpoints of the contract that the sign-in routes serve. */
export const signInEndpoints = [...oidcEndpoints, ...legacyEndpoints] as const

/**
 * Serves sign-in and the removed legacy endpoints (contract, sections 4.7 and 4.8).
 *
 * @param consent renders the consent page, and handles its form
 */
export function signInRoutes(
  state: ServiceState,
  consent: (request: EmulatorRequest) => Promise<Response>,
): readonly SignInRoute[] {
  /** Creates the route of an endpoint that is a single operation, and applies scripted faults to it. */
  const route = (
    endpoint: Endpoint,
    respond: (request: EmulatorRequest) => Promise<Response>,
    method: string = endpoint.method,
  ): SignInRoute => ({
    method,
    path: endpoint.path,
    async respond(request, record) {
      record.operation = endpoint.operation
      return state.faults.around(endpoint, request, () => respond(request))
    },
  })
  const keySet = async () => Response.json({ keys: await state.signingKeys.published() })
  const removed = async (): Promise<Response> => {
    throw serviceError('endpoint_removed', {
      message: 'This endpoint was removed. Sign in with OpenID Connect.',
    })
  }
  return [
    route(authorize, consent),
    // The form of the consent page, which is specific to the emulator.
    route(authorize, consent, 'POST'),
    {
      method: exchangeCode.method,
      path: exchangeCode.path,
      respond: (request, record) => handleTokenRequest(state, request, record),
    },
    route(readKeys, keySet),
    ...legacyEndpoints.map((endpoint) => route(endpoint, removed)),
    // All legacy endpoints are removed (section 9), including those whose paths the contract does not document.
    { method: 'ALL', path: legacyExchangeCode.path.replace(/\/\w+$/, '/*'), respond: removed },
  ]
}

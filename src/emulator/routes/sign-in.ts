import type { Endpoint } from '../../contract/endpoint.ts'
import { legacyEndpoints, legacyExchangeCode } from '../../contract/sign-in/legacy.ts'
import { authorize, exchangeCode, oidcEndpoints, readKeys } from '../../contract/sign-in/oidc.ts'
import { handleAuthorization } from '../pages/consent-page.ts'
import type { EmulatorRequest } from '../server/request.ts'
import { serviceError } from '../server/service-error.ts'
import type { RequestDraft } from '../state/request-log.ts'
import type { ServiceState } from '../state/service-state.ts'
import { handleTokenRequest } from './sign-in-token.ts'

/** A path that answers in its own form: a page, or JSON without the envelope. */
interface Route {
  readonly method: string
  readonly path: string
  answer(arrival: EmulatorRequest, record: RequestDraft): Promise<Response>
}

/** What the sign-in routes serve of the contract. */
export const signInEndpoints: readonly Endpoint[] = [...oidcEndpoints, ...legacyEndpoints]

/** Contract, sections 4.7 and 4.8. */
export function signInRoutes(state: ServiceState): readonly Route[] {
  /** An endpoint that is one operation, with the faults that may befall it. */
  const route = (
    endpoint: Endpoint,
    answer: (arrival: EmulatorRequest) => Promise<Response>,
    method: string = endpoint.method,
  ): Route => ({
    method,
    path: endpoint.path,
    async answer(arrival, record) {
      record.operation = endpoint.operation
      const strike = state.faults.take(endpoint, arrival.url.pathname)
      await strike.before(arrival.signal)
      const response = await answer(arrival)
      await strike.after(arrival.signal)
      return response
    },
  })
  const consent = (arrival: EmulatorRequest) => handleAuthorization(state, arrival)
  const keys = async () => Response.json({ keys: await state.signingKeys.published() })
  const gone = async (): Promise<Response> => {
    throw serviceError('endpoint_removed', {
      message: 'This endpoint was removed: sign in by OpenID Connect.',
    })
  }
  return [
    route(authorize, consent),
    // The form of the consent page; it is the emulator's own.
    route(authorize, consent, 'POST'),
    {
      method: exchangeCode.method,
      path: exchangeCode.path,
      answer: (arrival, record) => handleTokenRequest(state, arrival, record),
    },
    route(readKeys, keys),
    ...legacyEndpoints.map((endpoint) => route(endpoint, gone)),
    // Every endpoint of the legacy sign-on is gone (section 9), those too whose paths the contract does not show.
    { method: 'ALL', path: legacyExchangeCode.path.replace(/\w+$/, '*'), answer: gone },
  ]
}

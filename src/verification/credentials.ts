import {
  type CredentialProvider,
  type CredentialState,
  listProviders,
  listStates,
} from '../contract/verification/credentials.ts'
import { type ListPromise, listPromise } from '../http/exchange/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { NoParams, RequestOptions } from '../http/params/options.ts'

/** Lists the licenses that can be checked. Read it before a license check. Available as `client.credentials`. */
export interface Credentials {
  /**
   * Lists the jurisdictions that have at least one provider.
   *
   * @example
   * const states = await client.credentials.listStates()
   */
  listStates(params?: NoParams, options?: RequestOptions): ListPromise<CredentialState[]>
  /**
   * Lists the licenses of a jurisdiction, each with the fields that its check requires.
   *
   * @param state two letters, such as `CA`
   * @throws {NotFoundError} the service does not list this jurisdiction
   *
   * @example
   * const providers = await client.credentials.listProviders('CA')
   * const provider = providers.find(({ credential_code }) => credential_code === choice)
   */
  listProviders(state: string, params?: NoParams, options?: RequestOptions): ListPromise<CredentialProvider[]>
}

export const createCredentials = (http: HttpClient): Credentials => ({
  listStates: (params = {}, options) => listPromise(listStates, http.send(listStates, { query: params }, options)),
  listProviders: (state, params = {}, options) =>
    listPromise(listProviders, http.send(listProviders, { path: { state }, query: params }, options)),
})

import { organizationEndpoints } from '../contract/organization/endpoints.ts'
import { organizationHeaders } from '../contract/service.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { AuthHeaders } from '../http/credentials.ts'
import { HttpClient } from '../http/http-client.ts'
import { type ClientOptions, fitsHeader, type RequestOptions } from '../http/params/options.ts'
import { type RawRequest, rawRequest } from '../http/raw-request.ts'
import { environment } from '../runtime/environment.ts'
import { Billing } from './billing.ts'
import { Members } from './members.ts'

/** Read once, by the constructor. Later changes to the object have no effect. */
export interface OrgClientOptions extends ClientOptions {
  /**
   * Of the application that the organization owns.
   *
   * @default env `SVC_CLIENT_ID`
   */
  readonly clientId?: string | undefined
  /** Never leaves the server and is never logged. @default env `SVC_CLIENT_SECRET` */
  readonly clientSecret?: string | undefined
}

/**
 * Keeps the roster of the organization that owns the credentials, and reads its billing. For servers only.
 *
 * @throws {ConfigurationError} from the constructor: missing credentials, a base URL that is not https, a bad
 *   option
 * @see service contract, sections 2.9, 2.10, 3.3 and 4.9
 *
 * @example
 * const org = new OrgClient({ baseUrl: 'https://console.example.com', clientId, clientSecret })
 * const { members } = await org.members.list()
 */
export class OrgClient {
  /** The roster. */
  readonly members: Members
  /** What the organization pays. */
  readonly billing: Billing
  readonly #http: HttpClient

  constructor(options: OrgClientOptions = {}) {
    const grant = grantOf(options)
    this.#http = new HttpClient({ options, baseUrlVariable: 'SVC_ORG_BASE_URL', auth: () => grant })
    this.members = new Members(this.#http)
    this.billing = new Billing(this.#http)
  }

  /**
   * Calls a path that has no method here, with the same envelope, errors and retries. A path that has one is
   * that operation.
   *
   * @throws {ApiError} what the service answers
   * @throws {InvalidParamsError} a path that is more than a path
   * @see service contract, sections 2.1 and 4.9
   *
   * @example
   * const data = await org.request({ method: 'GET', path: '/api/sdk/members' })
   */
  request<T = unknown>(request: RawRequest, options?: RequestOptions): ApiPromise<T> {
    return rawRequest<T>(this.#http, organizationEndpoints, request, options)
  }

  /**
   * Closes the connection pool. Nobody needs it for the process to exit by itself.
   *
   * @example
   * await org.close()
   */
  close(): Promise<void> {
    return this.#http.close()
  }
}

function grantOf(options: OrgClientOptions): AuthHeaders {
  const clientId = options.clientId ?? environment('SVC_CLIENT_ID')
  const clientSecret = options.clientSecret ?? environment('SVC_CLIENT_SECRET')
  for (const [name, value] of Object.entries({ clientId, clientSecret })) {
    if (typeof value !== 'string' || !fitsHeader(value)) {
      throw new ConfigurationError(
        `${name} must be a non-empty string without spaces around it or line breaks`,
      )
    }
  }
  const headers = {
    [organizationHeaders.clientId]: clientId as string,
    [organizationHeaders.clientSecret]: clientSecret as string,
  }
  return { headers, secrets: [clientSecret as string] }
}

import { organizationEndpoints } from '../contract/organization/endpoints.ts'
import { organizationHeaders } from '../contract/service.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import type { ApiPromise } from '../http/exchange/api-promise.ts'
import type { AuthHeaders } from '../http/exchange/request-headers.ts'
import { HttpClient } from '../http/http-client.ts'
import { changedOptions, type OptionChanges } from '../http/params/option-changes.ts'
import { type ClientOptions, clientOptionRules, type RequestOptions } from '../http/params/options.ts'
import { credentialFault } from '../http/params/params.ts'
import { type QueryOf, type RawQuery, type RawRequest, rawRequest } from '../http/raw-request.ts'
import { ServiceClient } from '../http/service-client.ts'
import { checkOptions, joinRules } from '../options/rules.ts'
import { readSetting } from '../options/settings.ts'
import { PrivateMembers } from '../runtime/public-class.ts'
import { type Billing, createBilling } from './billing.ts'
import { createMembers, type Members } from './members.ts'

/** Options of an organization client, in addition to those of every client. */
export interface OrgOptions {
  /**
   * The client id of the organization's application.
   *
   * @default env `SVC_CLIENT_ID`
   */
  readonly clientId?: string | undefined
  /** The client secret. Never leaves the server and is never logged. @default env `SVC_CLIENT_SECRET` */
  readonly clientSecret?: string | undefined
}

/** Client options. The constructor reads them once. Later changes to the object have no effect. */
export type OrgClientOptions = OrgOptions & ClientOptions

const optionRules = /* @__PURE__ */ joinRules(clientOptionRules, {
  clientId: true,
  clientSecret: true,
})

const internals = /* @__PURE__ */ new PrivateMembers<OrgClient, { options: OrgClientOptions; http: HttpClient }>()

/**
 * Client of the organization API: manages the roster of the organization that owns the credentials, and reads its
 * billing. Use it only on a server.
 *
 * @throws {ConfigurationError} from the constructor, if credentials are missing, the base URL is not https or an option
 *   is invalid
 *
 * @example
 * const org = new OrgClient({ baseUrl: 'https://console.example.com', clientId, clientSecret })
 * const { members } = await org.members.list()
 */
export class OrgClient extends ServiceClient {
  /** The roster. */
  readonly members: Members
  /** The billing of the organization. */
  readonly billing: Billing

  constructor(options?: OrgClientOptions)
  // `from` is that of the client that `withOptions` was called on.
  constructor(options: OrgClientOptions = {}, from?: HttpClient) {
    checkOptions('OrgClient', options, optionRules)
    const owner = from ? 'withOptions' : 'OrgClient'
    const clientId = credential(owner, 'clientId', options.clientId, 'SVC_CLIENT_ID')
    const clientSecret = credential(owner, 'clientSecret', options.clientSecret, 'SVC_CLIENT_SECRET')
    const auth = authHeaders(clientId, clientSecret)
    const http = new HttpClient({
      owner,
      options,
      baseUrlVariable: 'SVC_ORG_BASE_URL',
      auth: () => auth,
      sendsCredentials: true,
      from,
    })
    super(http)
    internals.set(this, { options: { ...options, clientId, clientSecret }, http })
    this.members = createMembers(http)
    this.billing = createBilling(http)
  }

  /**
   * Calls a path that has no method of its own, with the same errors and retries. If the path belongs to a
   * method, the call is that operation.
   *
   * @throws {ApiError} the service responded with an error
   * @throws {InvalidParamsError} `path` is not an encoded path, or the params do not fit the operation
   *
   * @example
   * const data = await org.request({ method: 'GET', path: '/api/sdk/members' })
   */
  request<T = unknown, Query extends QueryOf<Query> = RawQuery>(
    request: RawRequest<Query>,
    options?: RequestOptions,
  ): ApiPromise<T> {
    return rawRequest<T>(
      internals.of(this).http,
      { operation: 'request', declared: organizationEndpoints },
      request,
      options,
    )
  }

  /**
   * Creates a client with other options. Both clients share the connection pool and the retry budget, and the new one
   * sends the `headers` of both. What is `undefined` in `changes` is not changed.
   *
   * @param changes all options except those of the pool (`baseUrl`, `fetch`, `dispatcher`, `connections`, `http2`)
   * @throws {ConfigurationError} an option is invalid, or one that the clients share
   *
   * @example
   * const { members } = await org.withOptions({ timeoutMs: 60_000 }).members.list()
   */
  withOptions(changes: OptionChanges<OrgClientOptions>): OrgClient {
    const { options, http } = internals.of(this)
    return create(changedOptions(options, changes, optionRules), http)
  }
}

/** Outside of the class, because esbuild renames a class that refers to itself. */
const create = (...args: readonly [options: OrgClientOptions, from: HttpClient]): OrgClient =>
  Reflect.construct(OrgClient, args)

function authHeaders(clientId: string, clientSecret: string): AuthHeaders {
  const headers = {
    [organizationHeaders.clientId]: clientId,
    [organizationHeaders.clientSecret]: clientSecret,
  }
  return { headers, secrets: [clientSecret] }
}

function credential(owner: string, name: string, option: string | undefined, variable: string): string {
  const value = readSetting(owner, name, variable, option)
  const fault = credentialFault(value)
  if (fault) throw new ConfigurationError({ message: `${owner}: ${name} must ${fault}` })
  return value as string
}

import { type Endpoint, findEndpoint, type Method } from '../contract/endpoint.ts'
import { anything } from '../contract/schema/schema.ts'
import { isEnvelopedPath } from '../contract/service.ts'
import { invalidParam } from '../errors/call-errors.ts'
import { isObject } from './body/image.ts'
import { type ApiPromise, CallPromise } from './exchange/api-promise.ts'
import { bearer, nextToCredentials } from './exchange/request-headers.ts'
import type { HttpClient } from './http-client.ts'
import type { RequestOptions } from './params/options.ts'
import { checkCallOptions, checkPath } from './params/params.ts'

/** A request to any path of the API. */
export interface RawRequest<Query = RawQuery> {
  /** The HTTP method. If no method of this package has the path, GET counts as a read and the others as writes. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below the base URL, encoded and without a query: `/api/v2/…`. Events and logs contain it unchanged. */
  readonly path: string
  /**
   * The query. A list repeats its name (`{ status: ['a', 'b'] }` is sent as `status=a&status=b`), a `Date` is sent in
   * ISO 8601, in UTC, and what is `undefined` is omitted. If you pass the type of the result, spread a query that is an
   * interface: `query: { ...filter }`.
   */
  readonly query?: Query | undefined
  /**
   * The body, an object or an array, sent as JSON. Images of a path that this package has a method for are an
   * `ImageInput`: text is a data URL, or `{ base64 }`, because a path such as `uploads/passport` is valid base64.
   */
  readonly body?: object | undefined
}

/** A value in the query of a {@link RawRequest}. */
type QueryValue = string | number | boolean | Date | undefined

/** A query of any names. */
export type RawQuery = Readonly<Record<string, QueryValue | readonly QueryValue[]>>

/** What a query must be, as a constraint of its own type: an interface does not fit where an index signature is. */
export type QueryOf<Query> = { readonly [Name in keyof Query]: QueryValue | readonly QueryValue[] }

/** A {@link RawRequest} that an access token authorizes. */
export type RawBearerRequest<Query = RawQuery> = RawRequest<Query> & {
  /** The person's access token, sent as `Authorization: Bearer`. */
  readonly accessToken: string
}

/** The API that a raw request belongs to. */
export interface RawApi {
  /** The method that the caller writes. Errors, events and logs name it for a path that is not declared. */
  readonly operation: string
  /** The operations of the API. */
  readonly declared: readonly Endpoint[]
}

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[]

/**
 * Sends a request to any path. If the contract declares the path, the request is that operation, with its charges and
 * retries. Any other request is retried only if that is safe for every possible operation, and its response may have no
 * envelope where the contract does not promise one. A client without credentials of its own sends the access token of
 * the request.
 */
export function rawRequest<T>(
  http: HttpClient,
  { operation, declared }: RawApi,
  request: RawRequest | RawBearerRequest,
  options: RequestOptions | undefined,
): ApiPromise<T> {
  try {
    checkCallOptions(
      request,
      operation,
      {
        method: true,
        path: true,
        query: true,
        body: true,
        accessToken: true,
      },
      'request',
    )
    if (!methods.includes(request.method))
      throw invalidParam(operation, 'method', `must be one of ${methods.join(', ')}`)
    const { method, path, query, body } = request
    checkPath(path, operation)
    if (method === 'GET' && body !== undefined) throw invalidParam(operation, 'body', 'must not be sent with GET')
    if (body !== undefined && !isObject(body)) throw invalidParam(operation, 'body', 'must be an object or an array')
    const found = findEndpoint(declared, method, path)
    const target = found?.endpoint ?? undeclared(operation, request)
    const ids = Object.entries(found?.ids ?? {}).map(([name, segment]) => [name, decodeURIComponent(segment)])
    const params = {
      path: Object.fromEntries(ids),
      query,
      body,
      ...authorizationOf(http, request, operation),
    }
    return http.send(target, params, { encoding: 'json', ...options }) as ApiPromise<T>
  } catch (thrown) {
    return new CallPromise(Promise.reject(thrown))
  }
}

function authorizationOf({ sendsCredentials }: HttpClient, request: RawRequest, operation: string) {
  const { accessToken }: Partial<RawBearerRequest> = request
  if (!sendsCredentials) return { authorization: bearer(accessToken, operation) }
  if (accessToken === undefined) return {}
  throw invalidParam(operation, 'accessToken', nextToCredentials)
}

const undeclared = (operation: string, { method, path }: RawRequest): Endpoint => ({
  operation,
  // The section that says: further paths are not shown.
  section: '4.6',
  method,
  path,
  response: anything,
  envelope: isEnvelopedPath(path) ? 'data' : 'optional',
  // The contract does not say that such a DELETE is safe to retry, so it counts as a write.
  replay: method === 'GET' ? 'safe' : 'if-not-executed',
  unconfirmed: true,
  undeclared: true,
})

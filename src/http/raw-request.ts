import { type Endpoint, endpoint, findEndpoint, type Method } from '../contract/endpoint.ts'
import { anyObject, anything } from '../contract/schema/fields.ts'
import { badParam } from '../errors/call-errors.ts'
import { type ApiPromise, CallPromise } from './api-promise.ts'
import type { HttpClient } from './http-client.ts'
import type { RequestOptions } from './params/options.ts'
import { checkPath } from './params/path.ts'

/** A request to any path of the API. */
export interface RawRequest {
  /** The HTTP method. If no method of this package has the path, GET counts as a read and the others as writes. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path below the base URL, encoded and without a query: `/api/v2/…`. Events and logs contain it unchanged. */
  readonly path: string
  /** The query. Members that are `undefined` are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  /** The body, sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

const operation = 'request'
const methods: readonly string[] = ['GET', 'POST', 'PATCH', 'DELETE'] satisfies Method[]

/**
 * Sends a request to any path. If the contract declares the path, the request is that operation, with its charges and
 * retries. Any other request is retried only if that is safe for every possible operation.
 */
export function rawRequest<T>(
  http: HttpClient,
  declared: readonly Endpoint[],
  request: RawRequest,
  options: RequestOptions | undefined,
): ApiPromise<T> {
  try {
    if (!methods.includes(request?.method))
      throw badParam(operation, 'method', `must be one of ${methods.join(', ')}`)
    const { method, path, query, body } = request
    checkPath(path, operation)
    if (method === 'GET' && body !== undefined) throw badParam(operation, 'body', 'must not be sent with GET')
    const found = findEndpoint(declared, method, path)
    const target = found?.endpoint ?? undeclared(method, path, body !== undefined)
    const ids = Object.entries(found?.ids ?? {}).map(([name, segment]) => [name, decodeURIComponent(segment)])
    const given = { path: Object.fromEntries(ids), query, body }
    return http.send(target, given, { encoding: 'json', ...options }) as ApiPromise<T>
  } catch (thrown) {
    return new CallPromise(Promise.reject(thrown))
  }
}

const undeclared = (method: Method, path: string, hasBody: boolean) =>
  endpoint({
    operation,
    // The section that says: further paths are not shown.
    section: '4.6',
    method,
    path,
    ...(hasBody ? { body: anyObject } : {}),
    response: anything,
    // The contract does not say that such a DELETE is safe to retry, so it counts as a write.
    replay: method === 'GET' ? 'safe' : 'if-not-executed',
    status: 'unconfirmed',
  })

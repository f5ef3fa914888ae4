import { type Endpoint, endpoint, findEndpoint, type Method } from '../contract/endpoint.ts'
import { anyObject, anything } from '../contract/schema/fields.ts'
import { InvalidParamsError } from '../errors/call-errors.ts'
import { ApiPromise } from './api-promise.ts'
import type { HttpClient } from './http-client.ts'
import type { RequestOptions } from './params/options.ts'
import { checkPath } from './params/path.ts'

/** A request to a path that this package has no method for. */
export interface RawRequest {
  /** Of a path without a method of its own, GET is repeated as any read is; the others count as writes. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Under the base URL, encoded, without a query: `/api/v2/…`. It is named in events and logs as it is. */
  readonly path: string
  /** Members that are `undefined` are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

const operation = 'request'
const methods: readonly string[] = ['GET', 'POST', 'PATCH', 'DELETE'] satisfies Method[]

/**
 * Sends to any path. One that the contract declares is that operation, charges and retries included; another
 * is repeated only where that is safe whatever it does.
 */
export function rawRequest<T>(
  http: HttpClient,
  declared: readonly Endpoint[],
  request: RawRequest,
  options: RequestOptions | undefined,
): ApiPromise<T> {
  try {
    if (!methods.includes(request?.method)) throw invalid('method', `must be ${methods.join(', ')}`)
    const { method, path, query, body } = request
    checkPath(path, operation)
    if (method === 'GET' && body !== undefined) throw invalid('body', 'cannot go with a GET')
    const found = findEndpoint(declared, method, path)
    const target = found?.endpoint ?? undeclared(method, path, body !== undefined)
    const ids = Object.entries(found?.ids ?? {}).map(([name, segment]) => [name, decodeURIComponent(segment)])
    const given = { path: Object.fromEntries(ids), query, body }
    return http.send(target, given, { encoding: 'json', ...options }) as ApiPromise<T>
  } catch (thrown) {
    return new ApiPromise(Promise.reject(thrown))
  }
}

const invalid = (path: string, message: string) =>
  new InvalidParamsError([{ path, message }], { operation, attempts: 0 })

const undeclared = (method: Method, path: string, hasBody: boolean) =>
  endpoint({
    operation,
    // The contract shows no further paths.
    section: '4.6',
    method,
    path,
    ...(hasBody ? { body: anyObject } : {}),
    response: anything,
    // Nothing says that such a DELETE may be repeated: it counts as a write.
    replay: method === 'GET' ? 'safe' : 'if-not-executed',
    status: 'unconfirmed',
  })

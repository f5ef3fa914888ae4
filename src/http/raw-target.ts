import { type Endpoint, endpoint, findEndpoint, type Method } from '../contract/endpoint.ts'
import { anyObject, anything } from '../contract/fields.ts'
import { InvalidParamsError } from '../errors/call-errors.ts'
import type { CallArguments } from './call.ts'
import { checkPath } from './path.ts'

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

const methods: readonly string[] = ['GET', 'POST', 'PATCH', 'DELETE'] satisfies Method[]

/**
 * What a request goes to, and what it carries there.
 *
 * @throws {InvalidParamsError}
 */
export function targetOf(
  declared: readonly Endpoint[],
  request: RawRequest,
  operation: string,
): { endpoint: Endpoint; given: CallArguments } {
  const invalid = (path: string, message: string) =>
    new InvalidParamsError([{ path, message }], { operation, attempts: 0 })
  if (!methods.includes(request?.method)) throw invalid('method', `must be ${methods.join(', ')}`)
  const { method, path, query, body } = request
  checkPath(path, operation)
  if (method === 'GET' && body !== undefined) throw invalid('body', 'cannot go with a GET')
  const found = findEndpoint(declared, method, path)
  const ids = Object.entries(found?.ids ?? {}).map(([name, segment]) => [name, decodeURIComponent(segment)])
  return {
    endpoint: found?.endpoint ?? undeclared(operation, method, path, body !== undefined),
    given: { path: Object.fromEntries(ids), query, body },
  }
}

const undeclared = (operation: string, method: Method, path: string, hasBody: boolean) =>
  endpoint({
    operation,
    section: '4.6',
    method,
    path,
    ...(hasBody ? { body: anyObject } : {}),
    response: anything,
    // Nothing says that such a DELETE may be repeated: it counts as a write.
    replay: method === 'GET' ? 'safe' : 'when-refused',
    status: 'unconfirmed',
  })

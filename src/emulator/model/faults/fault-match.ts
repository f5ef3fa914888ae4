import type { Endpoint, Method } from '../../../contract/endpoint.ts'
import type { Operations } from '../../../contract/operations.ts'
import { EmulatorError } from '../../../errors/sdk-error.ts'
import { nearestName } from '../../../options/nearest-name.ts'

/** The name of an operation that the emulator serves, such as `checks.age`. */
export type FaultOperation = keyof Operations

/** The routes that fit a template. An id is a text, or its name in braces. */
type PathsOf<Template extends string> = Template extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${PathsOf<After>}`
  : Template

/** Method and path of an operation, such as `GET /api/v2/session/{id}`, or with an id. */
export type FaultRoute<Operation extends FaultOperation = FaultOperation> = Operation extends unknown
  ? PathsOf<Operations[Operation]['route']>
  : never

/** Selects the requests to which a fault applies. A request must match every member that is set. */
export interface FaultMatch<Operation extends FaultOperation = FaultOperation> {
  /** Name of the operation, such as `checks.liveness`. */
  readonly operation?: Operation | undefined
  /** The HTTP method. */
  readonly method?: Method | Lowercase<Method> | undefined
  /** Path of the request, or the template of a path, such as `/api/v2/session/{id}`. */
  readonly path?: (FaultRoute extends `${string} ${infer Path}` ? Path : never) | undefined
}

/** What a fault can match. */
export type FaultTarget = FaultOperation | FaultRoute | FaultMatch

/** What a target is compared by. */
export interface MatchRule {
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
}

export function readMatch(match: string | MatchRule | undefined): MatchRule {
  if (typeof match !== 'string') return match ?? {}
  const space = match.indexOf(' ')
  return space === -1 ? { operation: match } : { method: match.slice(0, space), path: match.slice(space + 1) }
}

/** Returns `checks.age`, `GET` or `POST /api/v2/liveness`, and an empty text for all operations. */
export const describeMatch = ({ operation, method, path }: MatchRule): string =>
  [operation, method, path].filter((part) => part !== undefined).join(' ')

/** @param requested the path of a request. Without it, a path is compared with the template of the endpoint */
export const matches = ({ operation, method, path }: MatchRule, endpoint: Endpoint, requested?: string) =>
  (operation ?? endpoint.operation) === endpoint.operation &&
  (method?.toUpperCase() ?? endpoint.method) === endpoint.method &&
  (path === undefined ||
    path === endpoint.path ||
    path === requested ||
    (requested === undefined && matchesTemplate(path, endpoint)))

function matchesTemplate(path: string, endpoint: Endpoint): boolean {
  const segments = endpoint.path.split('/')
  const requested = path.split('/')
  return (
    segments.length === requested.length &&
    segments.every((segment, i) => segment === requested[i] || segment.startsWith('{'))
  )
}

/**
 * Returns the endpoints that a fault applies to.
 *
 * @throws {EmulatorError} there are none
 */
export function matchedEndpoints(match: MatchRule, served: readonly Endpoint[]): readonly Endpoint[] {
  const matched = served.filter((endpoint) => matches(match, endpoint))
  if (matched.length > 0) return matched
  const name = describeMatch(match)
  const names = served.flatMap(({ operation, method, path }) => [operation, `${method} ${path}`])
  const nearest = nearestName(match.operation ?? name, names)
  const next =
    nearest === undefined
      ? "Pass a name such as 'checks.age', or a method and a path. Leave match out for all operations."
      : `Did you mean ${nearest}?`
  throw new EmulatorError({ message: `faults.add: match: ${name} is not an operation. ${next}` })
}

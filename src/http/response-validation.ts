import type { Endpoint } from '../contract/endpoint.ts'
import { invalidResponse, type ResponseContext } from './envelope.ts'
import { issuePaths } from './params/validation.ts'
import { redactText } from './redaction/redact.ts'
import type { TransportResponse } from './transport/transport.ts'

/** How strictly fields are validated if the contract gives their type. */
type Mode = 'strict' | 'warn' | 'off'

/** Maximum number of schema issues reported. */
const maxIssues = 20

/**
 * Validates the payload of a response.
 *
 * - What decides about money or identity (`endpoint.strict`) is always validated.
 * - Fields whose type the contract gives are validated in the mode `strict`.
 * - Fields without a documented type are never rejected.
 *
 * @returns the paths of fields that are accepted but have another type than documented, to be reported
 * @throws {InvalidResponseError}
 */
export function validateResponse(
  data: unknown,
  response: TransportResponse,
  context: ResponseContext & { readonly mode: Mode },
): string[] {
  const { mode, secrets } = context
  const { strict, response: schema }: Pick<Endpoint, 'strict' | 'response'> = context.endpoint
  const paths = (issues: ReturnType<typeof schema.issues>) =>
    // The service may echo the request in names of members.
    issuePaths(issues.slice(0, maxIssues), 'data').map((path) => redactText(path, secrets()))
  const reject = (fields: readonly string[]) => {
    throw invalidResponse(`the response is not as documented (${fields.join(', ')})`, response, context)
  }
  const decisive = strict?.issues(data) ?? []
  if (decisive.length > 0) reject(paths(decisive))
  if (mode === 'off' || strict === schema) return []
  const issues = schema.issues(data)
  const documented = mode === 'strict' ? issues.filter(({ untyped }) => !untyped) : []
  if (documented.length > 0) reject(paths(documented))
  return paths(issues)
}

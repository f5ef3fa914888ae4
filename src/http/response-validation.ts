import type { Issue } from '../contract/schema/schema.ts'
import { listedPath } from '../contract/schema/unlisted-fields.ts'
import { invalidResponse, type ResponseContext } from './envelope.ts'
import { issuePaths } from './params/validation.ts'
import type { TransportResponse } from './transport/transport.ts'

/** How strictly fields are validated if the contract gives their type. */
type ValidationMode = 'strict' | 'warn' | 'off'

/** Maximum number of schema issues reported. */
const maxIssues = 20

const none: readonly string[] = []

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
  context: ResponseContext,
  mode: ValidationMode,
): readonly string[] {
  const { strict, response: schema } = context.endpoint
  const decisive = strict?.issues(data) ?? []
  if (decisive.length > 0) throw unexpected(decisive, data, response, context)
  if (mode === 'off' || strict === schema) return none
  const issues = schema.issues(data)
  if (issues.length === 0) return none
  const documented = mode === 'strict' ? issues.filter(({ untyped }) => !untyped) : []
  if (documented.length > 0) throw unexpected(documented, data, response, context)
  return pathsOf(issues, data, context)
}

function unexpected(
  issues: readonly Issue[],
  data: unknown,
  response: TransportResponse,
  context: ResponseContext,
) {
  const fields = pathsOf(issues, data, context).join(', ')
  return invalidResponse(`the response is not as documented (${fields})`, response, context)
}

const pathsOf = (issues: readonly Issue[], data: unknown, { endpoint }: ResponseContext) =>
  issuePaths(
    issues.slice(0, maxIssues).map(({ path }) => ({ path: listedPath(path, data, endpoint.response.zod) })),
    'data',
  )

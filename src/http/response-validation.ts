import type { Issue } from '../contract/schema/schema.ts'
import { invalidResponse, type ResponseContext } from './envelope.ts'
import { issuePaths } from './params/validation.ts'
import { redactText } from './redaction/redact.ts'
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
  if (decisive.length > 0) throw unexpected(decisive, response, context)
  if (mode === 'off' || strict === schema) return none
  const issues = schema.issues(data)
  if (issues.length === 0) return none
  const documented = mode === 'strict' ? issues.filter(({ untyped }) => !untyped) : []
  if (documented.length > 0) throw unexpected(documented, response, context)
  return pathsOf(issues, context)
}

function unexpected(issues: readonly Issue[], response: TransportResponse, context: ResponseContext) {
  const fields = pathsOf(issues, context).join(', ')
  return invalidResponse(`the response is not as documented (${fields})`, response, context)
}

// Members may have names that somebody sent, so the paths are masked too.
const pathsOf = (issues: readonly Issue[], { state }: ResponseContext) =>
  issuePaths(issues.slice(0, maxIssues), 'data').map((path) => redactText(path, state.secrets()))

import { issuePaths, type Schema } from '../../contract/schema/schema.ts'
import { InvalidResponseError } from '../../errors/call-errors.ts'

/**
 * Returns a result that the package reads itself. In the modes `warn` and `off`, a response is returned to callers
 * whatever its shape.
 *
 * @param operation the operation that returned it
 * @throws {InvalidResponseError}
 */
export function requireShape<T>(operation: string, result: T, shape: Schema): T {
  const issues = shape.issues(result)
  if (issues.length === 0) return result
  const fields = issuePaths(issues, 'data').join(', ')
  throw new InvalidResponseError({
    operation,
    message: `${operation}: the response is not as documented (${fields}), and the client cannot continue without it`,
  })
}

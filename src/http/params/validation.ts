import type { Endpoint } from '../../contract/endpoint.ts'
import type { Issue } from '../../contract/schema/zod-core.ts'
import { type CallFacts, InvalidParamsError, type ParamIssue } from '../../errors/call-errors.ts'
import { imageFault } from '../body/image.ts'

type Fields = Readonly<Record<string, unknown>>

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a finite number',
  object: 'an object',
  string: 'a string',
}

function sentence(issue: Issue, params: unknown): string {
  if (issue.message !== undefined) return issue.message
  let value = params
  for (const step of issue.path) value = (value as Record<PropertyKey, unknown> | undefined)?.[step]
  if (value === undefined) return 'is required'
  return `must be ${kinds[String(issue.expected)] ?? 'of the documented form'}`
}

/** Names the fields of a failed parse, without their values. */
export const issuePaths = (issues: readonly Issue[], root: string): string[] =>
  issues.map(({ path }) => path.map(String).join('.') || root)

function check(schema: NonNullable<Endpoint['body']>, params: unknown): ParamIssue[] {
  if (schema.accepts(params)) return []
  const issues = schema.issues(params)
  const paths = issuePaths(issues, 'params')
  const named = issues.map((issue, i) => ({ path: paths[i] as string, message: sentence(issue, params) }))
  // A value of the wrong type may fail a check of its length as well: the first says what to mend.
  return named.filter(({ path }, i) => paths.indexOf(path) === i)
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Refuses params that cannot be right by the contract.
 *
 * @throws {InvalidParamsError} naming each field
 */
export function checkParams(
  endpoint: Pick<Endpoint, 'query' | 'body' | 'images'>,
  given: { readonly query?: unknown; readonly body?: unknown },
  call: CallFacts,
): void {
  const issues: ParamIssue[] = []
  const { query = {}, body = {} } = given
  if (endpoint.query) issues.push(...check(endpoint.query, query))
  if (endpoint.body) {
    // Images come in many forms; the schema knows the one in which they travel in JSON.
    const images: Record<string, unknown> = {}
    for (const field of isObject(body) ? (endpoint.images ?? []) : []) {
      const image = (body as Fields)[field]
      if (image === undefined) continue
      const message = imageFault(image)
      if (message !== undefined) issues.push({ path: field, message })
      images[field] = 'image'
    }
    issues.push(...check(endpoint.body, isObject(body) ? { ...body, ...images } : body))
  }
  if (issues.length > 0) throw new InvalidParamsError(issues, call)
}

import type { Endpoint } from '../../contract/endpoint.ts'
import { isJsonObject, type JsonObject } from '../../contract/schema/json-object.ts'
import type { Issue, Schema } from '../../contract/schema/schema.ts'
import { eachUnlisted } from '../../contract/schema/unlisted-fields.ts'
import { type CallFacts, factsOf, InvalidParamsError, type ParamIssue } from '../../errors/call-errors.ts'
import { kindOf } from '../../errors/options.ts'
import { misspelledName } from '../../runtime/nearest-name.ts'
import { imageFields, imageIssue } from '../body/image.ts'
import { requestOptionRules } from './options.ts'

/** Returns the names of the fields that failed, without their values. */
export const issuePaths = (issues: readonly Pick<Issue, 'path'>[], root: string): string[] =>
  issues.map(({ path }) => path.map(String).join('.') || root)

/** Finds params that are spelled like a listed one. Others are sent, because the service may accept them. */
function misspelledParams({ zod }: Schema, params: unknown): ParamIssue[] {
  const issues: ParamIssue[] = []
  eachUnlisted(params, zod, ({ path, names, listed }) => {
    for (const name of names) {
      const meant = misspelledName(name, [...listed])
      if (meant !== undefined)
        issues.push({ path: [...path, name].join('.'), message: `is not a param. Did you mean ${meant}?` })
    }
  })
  return issues
}

function check(schema: Schema, params: unknown): ParamIssue[] {
  if (!isJsonObject(params)) return [{ path: 'params', message: `must be an object, not ${kindOf(params)}` }]
  const issues = schema.issues(params)
  if (issues.length === 0) return []
  const paths = issuePaths(issues, 'params')
  // A value of the wrong type may also fail another rule. The first issue says what to fix.
  return issues
    .map(({ message }, i) => ({ path: paths[i] as string, message }))
    .filter(({ path }, i) => paths.indexOf(path) === i)
}

type CheckedEndpoint = Pick<Endpoint, 'query' | 'body' | 'images' | 'unnamedImages' | 'unconfirmed'>

interface GivenParams {
  readonly query?: unknown
  readonly body?: unknown
}

/**
 * Rejects params that the contract definitely does not allow.
 *
 * @throws {InvalidParamsError} with an issue for each field
 */
export function checkParams(endpoint: CheckedEndpoint, given: GivenParams, call: CallFacts): void {
  const issues = paramIssues(endpoint, given)
  if (issues.length > 0) throw new InvalidParamsError({ ...factsOf(call), issues })
}

/** Finds request options among the params. They would be sent, and have no effect. */
const misplacedOptions = (params: unknown): ParamIssue[] =>
  Object.keys(Object(params))
    .filter((name) => Object.hasOwn(requestOptionRules, name))
    .map((path) => ({
      path,
      message: 'is an option of the request: pass it in the argument after the params',
    }))

/** Finds params that the contract definitely does not allow. */
export function paramIssues(endpoint: CheckedEndpoint, given: GivenParams): ParamIssue[] {
  const issues = misplacedOptions(given.query)
  const { query = {}, body = {} } = given
  // Of other operations, the contract does not list the params.
  if (!endpoint.unconfirmed) {
    if (endpoint.query) issues.push(...misspelledParams(endpoint.query, query))
    if (endpoint.body) issues.push(...misspelledParams(endpoint.body, body))
  }
  if (endpoint.query) issues.push(...check(endpoint.query, query))
  if (endpoint.body) {
    // The schema describes an image as text in JSON. The other forms are checked here.
    const images: Record<string, unknown> = {}
    for (const field of isJsonObject(body) ? imageFields(endpoint, body) : []) {
      const value = (body as JsonObject)[field]
      // A field that the contract names contains one image.
      const isList = !endpoint.images && Array.isArray(value)
      for (const [i, image] of (isList ? value : [value]).entries()) {
        const message = imageIssue(image)
        if (message !== undefined) issues.push({ path: isList ? `${field}.${i}` : field, message })
      }
      images[field] = isList ? value.map(() => 'image') : 'image'
    }
    issues.push(...check(endpoint.body, isJsonObject(body) ? { ...body, ...images } : body))
  }
  return issues
}

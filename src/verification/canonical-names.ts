import type { Endpoint } from '../contract/endpoint.ts'
import { InvalidParamsError } from '../errors/call-errors.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Renames the aliases that an endpoint takes to its canonical fields, so that one call is spelled one way.
 * Params that are no object are left for the check that names them.
 */
export function withCanonicalNames(endpoint: Endpoint, params: object): object {
  if (typeof params !== 'object' || params === null) return params
  const fields: Record<string, unknown> = { ...params }
  for (const [alias, name] of Object.entries(endpoint.aliases ?? {})) {
    const value = (params as Fields)[alias]
    delete fields[alias]
    if (value === undefined) continue
    if (fields[name] !== undefined && fields[name] !== value) {
      const issue = { path: alias, message: `differs from ${name}, which it is another name for` }
      throw new InvalidParamsError([issue], { operation: endpoint.operation, attempts: 0 })
    }
    fields[name] = value
  }
  return fields
}

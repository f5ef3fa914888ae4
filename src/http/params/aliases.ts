import type { Endpoint } from '../../contract/endpoint.ts'
import { type CallFacts, InvalidParamsError } from '../../errors/call-errors.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Renames the aliases that an endpoint takes to its canonical fields, so that one call is spelled one way.
 * Params that are no object are left for the check that names them.
 *
 * @throws {InvalidParamsError} an alias and its canonical field say different things
 */
export function resolveAliases(
  { aliases }: Pick<Endpoint, 'aliases'>,
  params: object | undefined,
  call: CallFacts,
): object | undefined {
  if (aliases === undefined || typeof params !== 'object' || params === null || Array.isArray(params))
    return params
  const fields: Record<string, unknown> = { ...params }
  for (const [alias, name] of Object.entries(aliases)) {
    const value = (params as Fields)[alias]
    delete fields[alias]
    if (value === undefined) continue
    if (fields[name] !== undefined && fields[name] !== value) {
      const issue = { path: alias, message: `differs from ${name}, which it is another name for` }
      throw new InvalidParamsError([issue], call)
    }
    fields[name] = value
  }
  return fields
}

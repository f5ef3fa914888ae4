import type { Endpoint } from '../../contract/endpoint.ts'
import { badParam, type CallFacts } from '../../errors/call-errors.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Renames the aliases that an endpoint accepts to its canonical fields, so that equal calls have equal bodies. Returns
 * params that are not an object unchanged, because `checkParams` reports them.
 *
 * @throws {InvalidParamsError} an alias and its canonical field have different values
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
      throw badParam(call, alias, `differs from ${name}, of which it is an alias`)
    }
    fields[name] = value
  }
  return fields
}

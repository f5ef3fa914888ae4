import { WebhookVerificationError } from '../errors/webhook-error.ts'

/**
 * Headers of a delivery, in any of the forms in which runtimes hand them over: `Headers`, the headers of a
 * Node request, or a plain object whose names are spelled in any case.
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | null | undefined }

/** The one value of a header, which must be of the form. `name` is in lower case. */
export function readHeader(headers: unknown, name: string, form: RegExp): string {
  const given: Record<string, unknown> = Object(headers)
  let value: unknown
  if (typeof given.get === 'function') value = given.get(name)
  else
    for (const key of Object.keys(given)) {
      // The length first: it spares most names the copy in lower case.
      if (key.length !== name.length || key.toLowerCase() !== name || given[key] == null) continue
      if (value !== undefined) throw headerRefusal('malformed', name)
      value = given[key]
    }
  if (Array.isArray(value)) {
    if (value.length !== 1) throw headerRefusal('malformed', name)
    value = value[0]
  }
  if (value == null) throw headerRefusal('missing', name)
  if (typeof value !== 'string' || !form.test(value)) throw headerRefusal('malformed', name)
  return value
}

export const headerRefusal = (fault: 'missing' | 'malformed', name: string) =>
  new WebhookVerificationError(`${fault}_header`, `The header ${name} is ${fault}`)

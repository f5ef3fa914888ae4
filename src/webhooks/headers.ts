import { WebhookVerificationError } from '../errors/webhook-error.ts'

/**
 * Headers of a delivery, in any of the forms in which runtimes hand them over: `Headers`, the headers of a
 * Node request, or a plain object whose names are spelled in any case.
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | null | undefined }

/** The one value of a header, which must be of the form. `name` is in lower case. */
export function readHeader(headers: unknown, name: string, form?: RegExp): string {
  const given: Record<string, unknown> = Object(headers)
  let value: unknown
  if (typeof given.get === 'function') value = given.get(name)
  else {
    // The cheapest question first.
    for (const key of Object.keys(given))
      if ((key === name || (key.length === name.length && key.toLowerCase() === name)) && given[key] != null)
        value = value === undefined ? given[key] : []
  }
  if (Array.isArray(value) && value.length === 1) value = value[0]
  if (typeof value === 'string' && (!form || form.test(value))) return value
  const fault = value == null ? 'missing' : 'malformed'
  throw new WebhookVerificationError(`${fault}_header`, `Header ${name} is ${fault}`)
}

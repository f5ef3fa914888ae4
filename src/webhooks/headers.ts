import { WebhookVerificationError } from '../errors/webhook-error.ts'

/** Headers of a delivery: `Headers`, the headers of a Node request, or an object whose names have any case. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | null | undefined }

/**
 * Returns the value of a header. It must be present once, and match `pattern`.
 *
 * @param name in lower case
 */
export function readHeader(headers: unknown, name: string, pattern?: RegExp): string {
  const given: Record<string, unknown> = Object(headers)
  let value: unknown
  if (typeof given.get === 'function') value = given.get(name)
  else {
    // The comparisons are in the order of their cost. A second spelling of the name makes the value a list.
    for (const key of Object.keys(given))
      if ((key === name || (key.length === name.length && key.toLowerCase() === name)) && given[key] != null)
        value = value === undefined ? given[key] : []
  }
  const values = [value].flat()
  if (values.length === 1) value = values[0]
  if (typeof value === 'string' && (!pattern || pattern.test(value))) return value
  throw new WebhookVerificationError({
    reason: value == null ? 'missing_header' : 'malformed_header',
    message: `The ${name} header is ${value == null ? 'missing. Check that no proxy removes it.' : 'malformed, or was sent twice'}`,
  })
}

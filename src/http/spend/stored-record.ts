import { StoreError } from '../../errors/sdk-error.ts'
import { parseJson } from '../../runtime/bytes.ts'

/** Any other value in the store is a failure, because ignoring it could exceed the limit. */
export const anotherValue = () =>
  new StoreError({ message: 'the store contains another value under the name of the spend limit' })

/** Reads the members of a stored JSON object. */
export function readRecord(text: string): Readonly<Record<string, unknown>> {
  const record = parseJson(text)
  if (typeof record === 'object' && record !== null) return { ...record }
  throw anotherValue()
}

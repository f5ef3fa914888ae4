import type { Endpoint } from '../../contract/endpoint.ts'
import { meaningOfStatus } from '../../contract/errors/codes.ts'
import { documentedCodes } from '../../contract/errors/documented-codes.ts'
import { eachObject, listedPath } from '../../contract/schema/unlisted-fields.ts'
import type { Drift, JsonType } from './drift-report.ts'
import { content, type ReceivedResponse } from './received-response.ts'

/** Finds what the contract does not say about a response. No value of the response is in the result. */
export function findDrift(response: ReceivedResponse): readonly Drift[] {
  const { operation, status, code } = response
  const { endpoint, data } = response[content]
  // The contract gives neither the shape nor the codes of an unconfirmed operation.
  if (endpoint.unconfirmed) return []
  const found = data === undefined ? [] : inData(endpoint, data)
  if (code !== undefined && !documentedCodes(endpoint).some((one) => one === code))
    found.push({ kind: 'codes', name: code })
  if (status !== (endpoint.successStatus ?? 200) && meaningOfStatus(status) === undefined)
    found.push({ kind: 'statuses', name: String(status) })
  return found.map((one) => ({ operation, ...one }))
}

type Found = Omit<Drift, 'operation'>

function inData({ response: { zod }, response }: Endpoint, data: unknown): Found[] {
  const found: Found[] = []
  const nameOf = (path: readonly PropertyKey[]) =>
    listedPath(path, data, zod)
      .map((step) => (typeof step === 'number' ? '*' : String(step)))
      .join('.')
  const within = (path: readonly PropertyKey[], name: string) =>
    [nameOf(path), name].filter(Boolean).join('.')
  eachObject(data, zod, ({ owner, path, names, open }) => {
    const fields = owner as Readonly<Record<string, unknown>>
    for (const name of names)
      found.push({
        kind: 'fields',
        name: within(path, isFieldName(name) ? name : '*'),
        type: typeOf(fields[name]),
      })
    for (const { name, values } of open)
      for (const value of [fields[name]].flat())
        if (typeof value === 'string' && !values.includes(value))
          found.push({ kind: 'values', name: within(path, name) })
  })
  for (const { path } of response.issues(data))
    found.push({ kind: 'types', name: nameOf(path) || 'data', type: typeOf(valueAt(data, path)) })
  return found
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((part, step) => Object(part)[step], value)

/** Anything else, such as an email or the number of a document, may be the key of a map and not the name of a field. */
const isFieldName = (name: string) => /^[a-z]\w{0,47}$/i.test(name) && !/\d{4}/.test(name)

function typeOf(value: unknown): JsonType | 'missing' {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : (typeof value as JsonType)
}

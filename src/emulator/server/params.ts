import { decodeUtf8 } from '#platform'
import type { Endpoint } from '../../contract/endpoint.ts'
import { maxImageBytes } from '../../contract/service.ts'
import { interfaceOf, type ParamIssue } from './interface.ts'
import type { EmulatorRequest } from './request.ts'
import { serviceError } from './service-error.ts'

type Fields = Record<string, unknown>

/** Params that are not as documented. How that is refused is up to the interface. */
class InvalidParams extends Error {
  readonly faults: readonly ParamIssue[]

  constructor(faults: readonly ParamIssue[]) {
    super('invalid params')
    this.faults = faults
  }
}

const invalid = (message: string, field?: string) =>
  new InvalidParams([{ message, ...(field === undefined ? {} : { field }) }])

/** Query and body by the schemas of the declaration. Throws what is refused. */
export async function parseRequest(endpoint: Endpoint, arrival: EmulatorRequest) {
  try {
    return { query: readQuery(endpoint, arrival.url), body: await readParams(endpoint, arrival) }
  } catch (thrown) {
    throw thrown instanceof InvalidParams ? interfaceOf(endpoint).invalid(thrown.faults) : thrown
  }
}

/** The schema of a query may want numbers or booleans, where a query has only text. */
function readQuery(endpoint: Endpoint, url: URL): unknown {
  if (endpoint.query === undefined) return undefined
  const asText: Fields = Object.fromEntries(url.searchParams)
  const values = endpoint.query.issues(asText).flatMap(({ path: [name] }): [string, unknown][] => {
    const text = String(asText[String(name)])
    return /^(?:-?\d+|true|false)$/.test(text) ? [[String(name), JSON.parse(text)]] : []
  })
  return parse(endpoint.query, { ...asText, ...Object.fromEntries(values) })
}

/** The body by the declaration's schema, aliases resolved and images weighed. */
async function readParams(endpoint: Endpoint, arrival: EmulatorRequest): Promise<unknown> {
  if (endpoint.body === undefined) return undefined
  const contentType = arrival.headers.get('content-type') ?? ''
  // Where the contract does not show the shape, it does not say which of the two forms is taken either.
  const takesForms = endpoint.images !== undefined || endpoint.status === 'unconfirmed'
  const fields =
    takesForms && /^multipart\/form-data\b/i.test(contentType)
      ? await readForm(arrival, contentType)
      : readJson(arrival, contentType)
  const canonical = resolveAliases(fields, endpoint.aliases ?? {})
  for (const name of endpoint.images ?? []) weighEncoded(name, canonical[name])
  if (endpoint.status === 'unconfirmed') weighWhateverIsText(canonical)
  return parse(endpoint.body, canonical)
}

function parse(schema: NonNullable<Endpoint['body']>, fields: Fields): unknown {
  const issues = schema.issues(fields)
  if (issues.length === 0) {
    // It would change the prototype of what somebody assigns the params to.
    const { ['__proto__']: _, ...params } = fields
    return params
  }
  throw new InvalidParams(
    issues.map(({ expected, path, message = `must be ${expected}` }) => {
      const isMissing = expected !== undefined && valueAt(fields, path) === undefined
      return { field: path.join('.'), message: isMissing ? 'is required' : message }
    }),
  )
}

const valueAt = (fields: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step], fields)

function readJson({ bytes }: EmulatorRequest, contentType: string): Fields {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType))
    throw invalid(contentType === '' ? 'is required' : `${contentType} is not taken here`, 'content-type')
  const text = decodeUtf8(bytes)
  if (text === undefined) throw invalid('the body is not UTF-8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('the body is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('the body is no JSON object')
  return value as Fields
}

async function readForm({ bytes }: EmulatorRequest, contentType: string): Promise<Fields> {
  const init = { method: 'POST', headers: { 'content-type': contentType }, body: bytes }
  const form = await new Request('https://form.invalid', init).formData().catch(() => {
    throw invalid('the body is not the multipart form that its content-type announces')
  })
  const fields = [...new Set(form.keys())].map((name): [string, unknown] => {
    const values = form
      .getAll(name)
      .map((value) => (typeof value === 'string' ? value : standIn(name, value)))
    return [name, values.length === 1 ? values[0] : values]
  })
  return Object.fromEntries(fields)
}

/** What an image looks like does not matter here: a text that fits the schema stands for the file. */
function standIn(name: string, file: Blob): string {
  weigh(name, file.size)
  return file.size === 0 ? '' : 'AAAA'
}

function weigh(name: string, size: number): void {
  if (size >= maxImageBytes)
    throw serviceError('image_too_large', {
      message: `${name}: ${size} bytes, and the limit is ${maxImageBytes}`,
    })
}

const dataUrlHead = /^data:[^,]*;base64,/i

function weighEncoded(name: string, value: unknown): void {
  if (typeof value !== 'string') return
  const base64 = value.slice(dataUrlHead.exec(value)?.[0].length ?? 0)
  if (/[^A-Za-z0-9+/=_\-\s]/.test(base64)) throw invalid('is neither base64 nor a data URL', name)
  weigh(name, decodedSize(base64))
}

const decodedSize = (base64: string) => Math.floor((base64.replace(/[=\s]/g, '').length * 3) / 4)

/** Where the contract does not show which fields hold images, any text may be one. */
function weighWhateverIsText(fields: Fields): void {
  for (const [name, value] of Object.entries(fields))
    for (const text of [value].flat())
      if (typeof text === 'string' && text.length >= maxImageBytes)
        weigh(name, decodedSize(text.replace(dataUrlHead, '')))
}

function resolveAliases(fields: Fields, aliases: Readonly<Record<string, string>>): Fields {
  const renamed = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    const canonical = Object.hasOwn(aliases, name) ? (aliases[name] as string) : name
    // Sent both ways: the canonical spelling counts.
    return canonical !== name && Object.hasOwn(fields, canonical) ? [] : [[canonical, value]]
  })
  return Object.fromEntries(renamed)
}

import type { Endpoint } from '../../contract/endpoint.ts'
import { unlistedNames } from '../../contract/schema/schema.ts'
import { maxImageBytes } from '../../contract/service.ts'
import { nearestName } from '../../options/nearest-name.ts'
import { decodeUtf8, formatOtherThanImage, fromBase64url, inspectedBytes, parseJson } from '../../runtime/bytes.ts'
import type { Readings } from '../model/options/readings.ts'
import type { EmulatorRequest } from '../model/request.ts'
import { serviceError } from '../model/service-error.ts'
import { type FieldIssue, interfaceOf } from './interface.ts'
import { normalizeForm } from './multipart.ts'

type MutableFields = Record<string, unknown>

/** Params that differ from the documentation. Each interface has its own form of error for them. */
class InvalidParams extends Error {
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super('invalid params')
    this.issues = issues
  }
}

const invalid = (message: string, field?: string) =>
  new InvalidParams([{ message, ...(field === undefined ? {} : { field }) }])

/**
 * Validates query and body against the schemas of the declaration. Throws a `ServiceError` if they are invalid.
 *
 * @param nullable body fields that count as missing if they are null
 */
export async function parseRequest(
  endpoint: Endpoint,
  request: EmulatorRequest,
  nullable: readonly string[],
  { unlistedFields }: Readings,
) {
  const checksNames = unlistedFields === 'rejected' && endpoint.unconfirmed !== true
  try {
    return {
      query: readQuery(endpoint, request.url, checksNames),
      body: await readBodyParams(endpoint, request, nullable, checksNames),
    }
  } catch (thrown) {
    throw thrown instanceof InvalidParams ? interfaceOf(endpoint).invalid(thrown.issues) : thrown
  }
}

/** Converts the values of a query to numbers and booleans if the schema requires them. */
function readQuery(endpoint: Endpoint, url: URL, checksNames: boolean): unknown {
  const asText: MutableFields = Object.fromEntries(url.searchParams)
  const unlisted = checksNames ? unlistedIssues(endpoint, endpoint.query, asText) : []
  if (endpoint.query === undefined) {
    if (unlisted.length > 0) throw new InvalidParams(unlisted)
    return undefined
  }
  const values = endpoint.query.issues(asText).flatMap(({ path: [name] }): [string, unknown][] => {
    const text = String(asText[String(name)])
    return /^(?:-?(?:0|[1-9]\d*)|true|false)$/.test(text) ? [[String(name), JSON.parse(text)]] : []
  })
  return parse(endpoint.query, { ...asText, ...Object.fromEntries(values) }, unlisted)
}

/** Validates the body, resolves aliases and checks the size of images. */
async function readBodyParams(
  endpoint: Endpoint,
  request: EmulatorRequest,
  nullable: readonly string[],
  checksNames: boolean,
): Promise<unknown> {
  if (endpoint.body === undefined) return undefined
  const contentType = request.headers.get('content-type') ?? ''
  // The contract does not document which content types the unconfirmed endpoints accept. The emulator accepts both.
  const acceptsForms = endpoint.images !== undefined || endpoint.unconfirmed === true
  const fields =
    acceptsForms && /^multipart\/form-data\b/i.test(contentType)
      ? await readForm(request, contentType)
      : readJson(request, contentType)
  const canonical = resolveAliases(fields, endpoint.aliases ?? {})
  for (const name of endpoint.images ?? []) checkEncodedImage(name, canonical[name])
  if (endpoint.unconfirmed === true) checkPossibleImages(canonical)
  const present = Object.entries(canonical).filter(([name, value]) => value !== null || !nullable.includes(name))
  const params = Object.fromEntries(present)
  return parse(endpoint.body, params, checksNames ? unlistedIssues(endpoint, endpoint.body, params) : [])
}

/** Names that are reported, at most. A body may have millions. */
const maxNames = 20

/**
 * Finds fields that the contract does not list, such as `vendor` in place of `vendor_data`. The service may ignore them,
 * and do something else than what was meant.
 */
function unlistedIssues(
  { namesByProvider }: Endpoint,
  schema: Endpoint['body'],
  fields: MutableFields,
): readonly FieldIssue[] {
  const unlisted = schema
    ? unlistedNames(fields, schema.zod)
    : Object.keys(fields).map((name) => ({ path: [name], listed: [] }))
  return unlisted.slice(0, maxNames).flatMap(({ path, listed }): FieldIssue[] => {
    const missing = listed.filter((other) => path.length > 1 || !Object.hasOwn(fields, other))
    const meant = nearestName(String(path.at(-1)), missing)
    if (namesByProvider && meant === undefined) return []
    const advice = meant === undefined ? '' : ` Did you mean ${meant}?`
    const message = `is not a field of the contract.${advice} readings: { unlistedFields: 'ignored' } accepts it`
    return [{ field: path.join('.'), message }]
  })
}

function parse(schema: NonNullable<Endpoint['body']>, fields: MutableFields, unlisted: readonly FieldIssue[]): unknown {
  const wrong = schema.issues(fields).map(({ path, message }) => ({ field: path.join('.'), message }))
  const issues = [...unlisted, ...wrong]
  // An own __proto__ member would change the prototype of any object that the params are assigned to. It is not
  // destructured, because Node's --disable-proto=throw rejects even a read.
  if (issues.length === 0) return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== '__proto__'))
  throw new InvalidParams(issues)
}

function readJson({ bytes }: EmulatorRequest, contentType: string): MutableFields {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType))
    throw invalid(
      contentType === '' ? 'is required' : `${contentType} is not supported by this endpoint`,
      'content-type',
    )
  const text = decodeUtf8(bytes)
  if (text === undefined) throw invalid('the body is not UTF-8')
  const value = parseJson(text)
  if (value === undefined) throw invalid('the body is not JSON')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('the body is not a JSON object')
  return value as MutableFields
}

async function readForm({ bytes }: EmulatorRequest, contentType: string): Promise<MutableFields> {
  if (hasTooManyParts(bytes)) throw invalid(`the form has more than ${maxParts} parts`)
  const body = normalizeForm(bytes, contentType) as Uint8Array<ArrayBuffer>
  const init = { method: 'POST', headers: { 'content-type': contentType }, body }
  const form = await new Request('https://form.invalid', init).formData().catch(() => {
    throw invalid('the body is not a valid multipart form, although its content-type says so')
  })
  const fields = [...new Set(form.keys())].map(async (name): Promise<[string, unknown]> => {
    const values = form.getAll(name).map((value) => (typeof value === 'string' ? value : placeholder(name, value)))
    return [name, values.length === 1 ? await values[0] : await Promise.all(values)]
  })
  return Object.fromEntries(await Promise.all(fields))
}

/** Many times what a form of the contract has. The platform takes minutes for millions of parts. */
const maxParts = 1000

const [cr, lf] = [13, 10]

/** Returns whether an empty line occurs more often than in a form: it ends the headers of each part. */
function hasTooManyParts(bytes: Uint8Array): boolean {
  let parts = 0
  for (let at = bytes.indexOf(cr); at !== -1 && parts <= maxParts; at = bytes.indexOf(cr, at + 1)) {
    if (bytes[at + 1] !== lf || bytes[at + 2] !== cr || bytes[at + 3] !== lf) continue
    parts += 1
    // An empty value begins with the line break before the next boundary.
    at += 3
  }
  return parts > maxParts
}

/** Returns a string that fits the schema instead of a file, because the emulator never verifies images. */
async function placeholder(name: string, file: Blob): Promise<string> {
  checkSize(name, file.size)
  checkFormat(name, new Uint8Array(await file.slice(0, inspectedBytes).arrayBuffer()))
  return file.size === 0 ? '' : 'AAAA'
}

function checkFormat(name: string, start: Uint8Array): void {
  const other = formatOtherThanImage(start)
  if (other !== undefined) throw invalid(`is ${other}, not an image`, name)
}

function checkSize(name: string, size: number): void {
  if (size >= maxImageBytes)
    throw serviceError('image_too_large', {
      message: `${name}: has ${size} bytes, the limit is ${maxImageBytes}`,
    })
}

const dataUrlHead = /^data:[^,]*;base64,/i

function checkEncodedImage(name: string, value: unknown): void {
  if (typeof value !== 'string') return
  const base64 = value.slice(dataUrlHead.exec(value)?.[0].length ?? 0)
  if (/[^A-Za-z0-9+/=_\-\s]/.test(base64)) throw invalid('must be base64 or a data URL', name)
  checkFormat(name, fromBase64url(base64.slice(0, 64).replace(/[\s=]/g, '')))
  checkSize(name, decodedSize(base64))
}

const decodedSize = (base64: string) => Math.floor((base64.replace(/[=\s]/g, '').length * 3) / 4)

/** Checks every text, because the contract does not document which fields of these endpoints contain images. */
function checkPossibleImages(fields: MutableFields): void {
  for (const [name, value] of Object.entries(fields))
    for (const text of [value].flat())
      if (typeof text === 'string' && text.length >= maxImageBytes)
        checkSize(name, decodedSize(text.replace(dataUrlHead, '')))
}

function resolveAliases(fields: MutableFields, aliases: Readonly<Record<string, string>>): MutableFields {
  const renamed = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    const canonical = Object.hasOwn(aliases, name) ? (aliases[name] as string) : name
    // If both spellings are sent, the canonical one wins.
    return canonical !== name && Object.hasOwn(fields, canonical) ? [] : [[canonical, value]]
  })
  return Object.fromEntries(renamed)
}

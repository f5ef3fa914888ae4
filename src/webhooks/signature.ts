import {
  eventIdHeader,
  signatureHeader,
  timestampHeader,
  webhookToleranceSeconds,
} from '../contract/webhooks/headers.ts'
import { ConfigurationError, errorIn, inCall, Rejection } from '../errors/sdk-error.ts'
import { WebhookVerificationError, type WebhookVerificationReason } from '../errors/webhook-error.ts'
import { checkNode, readSecrets } from '../options/rules.ts'
import { encodeUtf8, isArrayBuffer, isBytes, parseJson } from '../runtime/bytes.ts'
import { hmacSha256Hex, isHmacSha256 } from '../runtime/crypto.ts'
import { emulatorWebhookSecret, environment, ifMeant, isWithoutEmulators } from '../runtime/environment.ts'

/** The body of a delivery as received, before any parser or re-encoding. */
export type WebhookBody = string | Uint8Array | ArrayBuffer

/** A delivery as received. */
export interface WebhookDelivery {
  /** The raw body, which is what the service signed. */
  readonly body: WebhookBody
  /** The headers of the request. */
  readonly headers: WebhookHeaders
}

/** What a delivery is verified with. */
export interface WebhookTrust {
  /**
   * The webhook signing secret. While you rotate it, pass a list: a delivery that is signed with any of the secrets is
   * accepted. In a list, `undefined` and `''` are ignored, so that you can pass environment variables: one of them must
   * be set.
   *
   * @default env `SVC_WEBHOOK_SECRET`
   * @throws {ConfigurationError} if the secret is missing or blank, contains a line break or has spaces around it
   */
  readonly secret?: string | readonly (string | undefined)[] | undefined

  /**
   * Maximum difference between the signed timestamp and `now`, in seconds, in either direction: 0 to 86,400, a day.
   *
   * @default 300 (contract, section 8)
   * @throws {ConfigurationError} the value is not such a number
   */
  readonly toleranceSeconds?: number | undefined

  /** The clock. @default the clock of the system */
  readonly now?: (() => Date) | undefined
}

/** A delivery, and what it is verified with. */
export interface VerifyWebhookParams extends WebhookDelivery, WebhookTrust {}

/** Creates what a check of a delivery throws. */
export const webhookRejection = (reason: WebhookVerificationReason, message: string) =>
  new Rejection((operation) => new WebhookVerificationError({ reason, message: `${operation}: ${message}` }))

const timestampPattern = /^\d{1,12}$/
const signaturePattern = /^[0-9a-f]{64}$/

/** Returns the secrets: at least one. */
const readWebhookSecrets = (owner: string, secret: unknown = environment('SVC_WEBHOOK_SECRET')): readonly string[] =>
  readSecrets(`${owner}: secret`, secret, 'pass it, or set SVC_WEBHOOK_SECRET')

/** What a delivery is verified with, checked and with its defaults. */
export interface CheckedTrust extends Pick<WebhookTrust, 'now'> {
  readonly secrets: readonly string[]
  readonly toleranceSeconds: number
}

/** @throws {ConfigurationError} a secret or the tolerance has a wrong value */
export function readTrust(owner: string, params: WebhookTrust): CheckedTrust {
  // What other code adds to the prototype of all objects must not change whom a receiver trusts.
  const own: WebhookTrust = Object.assign(Object.create(null), params)
  const { secret, toleranceSeconds = webhookToleranceSeconds, now } = own
  const secrets = readWebhookSecrets(owner, secret)
  // More is a number of milliseconds.
  if (Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0 && toleranceSeconds <= 86_400)
    return { secrets, toleranceSeconds, now }
  throw new ConfigurationError({ message: `${owner}: toleranceSeconds must be from 0 to 86400` })
}

/** Returns the body in a form that can be hashed, without a copy. @throws {Rejection} `body_not_raw` */
function rawBodyOf(body: unknown): string | Uint8Array {
  if (typeof body === 'string') return body
  if (isBytes(body)) return body
  // A view of a transferred buffer cannot be created.
  if (isArrayBuffer(body)) return new Uint8Array((body.byteLength && body) as ArrayBuffer)
  throw webhookRejection(
    'body_not_raw',
    'the raw body is missing: mount the handler before parsers, or pass request.text() or event.body.',
  )
}

/** Returns what the params of one call trust. */
function trustOf(owner: string, params: VerifyWebhookParams): CheckedTrust {
  checkNode(owner)
  if (typeof params !== 'object' || params === null || isBytes(params))
    throw new ConfigurationError({ message: `${owner}: pass one object: ${owner}({ body, headers, secret })` })
  return readTrust(owner, params)
}

/**
 * Verifies signature and age, then returns what `use` makes of the body. `use` is a callback because one more `await`
 * makes verification slower.
 *
 * @param owner the function that the caller called, for error messages
 * @param trust what handlers read once; by default, that of the params
 */
export async function withVerifiedBody<T>(
  owner: string,
  params: VerifyWebhookParams,
  use: (timestamp: number, body: string | Uint8Array) => T,
  trust: CheckedTrust = trustOf(owner, params),
): Promise<T> {
  // Not when the secret is read, because `next build` reads it too, with what an emulator wrote to `.env`.
  if (trust.secrets.includes(emulatorWebhookSecret) && isWithoutEmulators())
    throw new ConfigurationError({
      message: `${owner}: the secret is that of the emulator, which everybody knows, and NODE_ENV is production. Set SVC_WEBHOOK_SECRET. ${ifMeant}`,
    })
  try {
    const body = rawBodyOf(params.body)
    const [signedAt, signature] = readSignedHeaders(params.headers)
    let matches = false
    // No early exit, because the time taken must not show which of the secrets matches.
    for (const secret of trust.secrets) {
      const match = isHmacSha256(signature, secret, `${signedAt}.`, body)
      // On Node it is not a promise. To wait for it anyway would cost 2 % of a webhook of 1 KiB.
      matches = (typeof match === 'boolean' ? match : await match) || matches
    }
    // A lone surrogate is hashed as U+FFFD, so without this check a changed text could match the signature.
    if (!matches || (typeof body === 'string' && !body.isWellFormed())) throw mismatch(body, params.headers)

    const timestamp = Number(signedAt)
    checkTolerance(timestamp, trust)
    return use(timestamp, body)
  } catch (thrown) {
    throw errorIn(owner, thrown)
  }
}

/** Some hosts leave an empty body after one was read, and some cut a long one and keep its `content-length`. */
function mismatch(body: string | Uint8Array, headers: unknown): Rejection {
  const received = typeof body === 'string' ? encodeUtf8(body).byteLength : body.byteLength
  const wasDecoded = headerOf(headers, 'content-encoding') !== undefined
  const announced = wasDecoded ? 0 : Number(headerOf(headers, 'content-length') ?? 0)
  if (received === 0 && (announced > 0 || headerOf(headers, 'transfer-encoding') !== undefined))
    return webhookRejection(
      'body_not_raw',
      'the body is empty, although one was sent: it was read before. Mount the handler before what reads it, or pass what it has read.',
    )
  const change = changeOf(body, announced > 0 && announced !== received)
  if (change !== undefined) return webhookRejection('body_not_raw', `the body is ${change}. Pass the raw body.`)
  if (received < announced)
    return webhookRejection(
      'body_incomplete',
      `${received} of ${announced} bytes of the body were received. A host or a proxy has cut it.`,
    )
  return webhookRejection(
    'signature_mismatch',
    'no secret matches the signature. Check SVC_WEBHOOK_SECRET (test and production differ), and that the body is raw.',
  )
}

/** Says what was done to a body, if that shows. One that was cut seldom ends with a brace. */
function changeOf(body: string | Uint8Array, hasOtherLength: boolean): string | undefined {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  if (text.startsWith('[object ')) return 'an object as text'
  // JSON that begins with a brace, and then a quotation mark or a blank.
  if (/^e[wy][\w+/]{6}/.test(text)) return 'base64: on AWS Lambda, decode it if event.isBase64Encoded is true'
  return hasOtherLength && /^{.*}$/s.test(text) ? 'parsed and serialized again' : undefined
}

function headerOf(headers: unknown, name: string): unknown {
  const fields = Object(headers) as Record<string, unknown> & { get?: unknown }
  if (typeof fields.get === 'function') return fields.get(name) ?? undefined
  return Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1]
}

const readSignedHeaders = (headers: unknown): readonly [signedAt: string, signature: string] => [
  readHeader(headers, timestampHeader, timestampPattern),
  readHeader(headers, signatureHeader, signaturePattern),
]

function checkTolerance(timestamp: number, { toleranceSeconds: tolerance, now }: CheckedTrust): void {
  const age = Number(now?.() ?? Date.now()) / 1000 - timestamp
  // Not `> tolerance`, because an invalid date (NaN) must be rejected.
  if (Math.abs(age) <= tolerance) return
  const seconds = Math.ceil(Math.abs(age))
  const isLate = age > 0
  const why = isLate ? "it came late, or this machine's clock is ahead" : "this machine's clock is behind"
  const fault = `the delivery was signed ${seconds} s ${isLate ? 'ago' : 'in the future'}, and ${tolerance} s are allowed: ${why}`
  throw webhookRejection('timestamp_out_of_tolerance', Number.isNaN(age) ? 'now returned an invalid Date' : fault)
}

/**
 * Rejects a delivery whose headers are enough to reject it, so that its body need not be read.
 *
 * @throws {Rejection} `missing_header`, `malformed_header` or `timestamp_out_of_tolerance`
 */
export function checkSignedHeaders(headers: WebhookHeaders, trust: CheckedTrust): void {
  const [signedAt] = readSignedHeaders(headers)
  checkTolerance(Number(signedAt), trust)
}

/**
 * Verifies the signature and the age of a delivery, and nothing else. The body is not parsed. The event id header is
 * not read, because it is not signed. Take the event id from the body.
 *
 * @returns `timestamp`: when the delivery was signed, in seconds since the epoch
 * @throws {ConfigurationError} a secret or the tolerance has a wrong value
 * @throws {WebhookVerificationError} `body_not_raw`, `missing_header`, `malformed_header`, `signature_mismatch` or
 *   `timestamp_out_of_tolerance`. Respond with 400.
 *
 * @example
 * await verifyWebhookSignature({ body: await request.text(), headers: request.headers, secret })
 */
export function verifyWebhookSignature(params: VerifyWebhookParams): Promise<{ timestamp: number }> {
  return withVerifiedBody('verifyWebhookSignature', params, (timestamp) => ({ timestamp }))
}

/** How a delivery is signed. */
export interface SignWebhookOptions {
  /** The webhook signing secret. The first one that is set in a list signs. @default env `SVC_WEBHOOK_SECRET` */
  readonly secret?: string | readonly (string | undefined)[] | undefined
  /** The time of signing, in whole seconds since the epoch. @default now */
  readonly timestamp?: number | undefined
}

/** What to sign: an event, which is serialized as JSON, or a body, which is sent unchanged. */
export type SignWebhookParams<Body extends WebhookBody = WebhookBody> = SignWebhookOptions &
  ({ readonly event: object; readonly body?: undefined } | { readonly body: Body; readonly event?: undefined })

/** A signed delivery. */
export interface SignedWebhook<Body extends WebhookBody = WebhookBody> {
  /** The headers of the delivery, with names in lower case. No event id header if the body has no event id. */
  readonly headers: Record<string, string>
  /** The body that you passed, or the JSON of the event. */
  readonly body: Body
}

/**
 * Signs a delivery as the service does, so that you can test a receiver without a network.
 *
 * @throws {ConfigurationError} the secret is missing, the timestamp is not in whole seconds, the event is not an object
 *   or cannot be serialized as JSON, or both or neither of `event` and `body` are given
 *
 * @example
 * const delivery = await signWebhook({
 *   event: { event_id: 'evt_1', type: 'verification.approved', session_id: 'sess_1' },
 *   secret,
 * })
 * const event = await verifyWebhook({ ...delivery, secret })
 */
export async function signWebhook<Body extends WebhookBody = string>(
  params: SignWebhookParams<Body>,
): Promise<SignedWebhook<Body>> {
  const owner = 'signWebhook'
  checkNode(owner)
  const secret = readWebhookSecrets(owner, params.secret)[0] as string
  const timestamp = String(params.timestamp ?? Math.floor(Date.now() / 1000))
  if (!timestampPattern.test(timestamp))
    throw new ConfigurationError({
      message: `${owner}: timestamp must be in whole seconds since the epoch, not in milliseconds`,
    })
  if ((params.event === undefined) === (params.body === undefined))
    throw new ConfigurationError({ message: `${owner}: pass either event or body` })
  const body = params.body ?? (jsonOf(owner, params.event) as Body)
  const raw = await inCall(owner, () => rawBodyOf(body))
  const headers: Record<string, string> = {
    // Without it, frameworks that keep the raw body keep none.
    'content-type': 'application/json',
    [timestampHeader]: timestamp,
    [signatureHeader]: await hmacSha256Hex(secret, `${timestamp}.`, raw),
  }
  const eventId = eventIdOf(raw)
  if (eventId !== undefined) headers[eventIdHeader] = eventId
  return { headers, body }
}

function jsonOf(owner: string, event: unknown): string {
  try {
    if (typeof event === 'object' && event !== null) return JSON.stringify(event)
  } catch (error) {
    throw new ConfigurationError({
      message: `${owner}: event cannot be serialized as JSON`,
      cause: error,
    })
  }
  throw new ConfigurationError({ message: `${owner}: event must be an object` })
}

function eventIdOf(raw: string | Uint8Array): string | undefined {
  const { event_id: id } = Object(parseJson(typeof raw === 'string' ? raw : new TextDecoder().decode(raw)))
  return typeof id === 'string' ? id : undefined
}

/** Headers of a delivery: `Headers`, the headers of a Node request, or an object whose names have any case. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | null | undefined }

/**
 * Returns the value of a header. It must be present once, and match `pattern`.
 *
 * @param name in lower case
 * @throws {Rejection} `missing_header` or `malformed_header`
 */
export function readHeader(headers: unknown, name: string, pattern: RegExp): string {
  const fields: Record<string, unknown> = Object(headers)
  let value: unknown
  let count = 0
  if (typeof fields.get === 'function') value = fields.get(name)
  else {
    for (const key of Object.keys(fields)) {
      // The cheap comparisons first: Node's names are in lower case. They save 3 % of a webhook of 1 KiB.
      if (key === name || (key.length === name.length && key.toLowerCase() === name)) {
        const sent = [fields[key] ?? []].flat()
        count += sent.length
        value ??= sent[0]
      }
    }
  }
  if (count < 2 && typeof value === 'string' && pattern.test(value)) return value
  throw value == null
    ? webhookRejection('missing_header', `the ${name} header is missing. Check that no proxy removes it.`)
    : malformedHeader(name)
}

export const malformedHeader = (name: string) =>
  webhookRejection('malformed_header', `the ${name} header is malformed or repeated`)

import { equalHmacs, hmacSha256Hex } from '#platform'
import {
  eventIdHeader,
  signatureHeader,
  timestampHeader,
  webhookToleranceSeconds,
} from '../contract/webhooks/headers.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { WebhookVerificationError } from '../errors/webhook-error.ts'
import { readHeader, type WebhookHeaders } from './headers.ts'

/** A body as it was received: before any parser, and before any re-encoding. */
export type WebhookBody = string | Uint8Array | ArrayBuffer

/** One delivery, as it arrived. */
export interface WebhookDelivery {
  /** The bytes that were signed. */
  readonly body: WebhookBody
  /** Those of the request. */
  readonly headers: WebhookHeaders
}

/** What a delivery is held against. */
export interface WebhookTrust {
  /**
   * The webhook signing secret. While secrets are being rotated, all that still count: a delivery signed
   * with any of them is accepted.
   */
  readonly secret: string | readonly string[]

  /**
   * How far the signed timestamp may be from `now`, in seconds, into the past or the future.
   *
   * @default 300 (contract, section 8)
   * @throws {ConfigurationError} unless finite and not negative
   */
  readonly toleranceSeconds?: number | undefined

  /** The clock. @default the system's */
  readonly now?: (() => Date) | undefined
}

/** A delivery, and what it is held against. */
export interface VerifyWebhookParams extends WebhookDelivery, WebhookTrust {}

const timestampForm = /^\d{1,12}$/
const signatureForm = /^[0-9a-f]{64}$/

/** The secrets, of which there is at least one and none is blank. */
export function readSecrets(secret: unknown): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length && secrets.every((one) => typeof one === 'string' && one.trim()))
    return secrets as readonly string[]
  throw new ConfigurationError('secret must be text, not blank')
}

/** The tolerance in seconds, its default filled in. */
export function readTolerance(seconds: number | undefined = webhookToleranceSeconds): number {
  if (Number.isFinite(seconds) && seconds >= 0) return seconds
  throw new ConfigurationError('toleranceSeconds must be >= 0')
}

/** The body in a form that can be hashed, without a copy. */
function readBody(body: unknown): string | Uint8Array {
  if (typeof body === 'string') return body
  // Told by its tag: under Jest and in vm contexts, bytes come from another realm's Uint8Array.
  if (ArrayBuffer.isView(body) && (body as unknown as Uint8Array)[Symbol.toStringTag] === 'Uint8Array')
    return body as Uint8Array
  // Of bytes that were transferred elsewhere no view can be made.
  if (body instanceof ArrayBuffer) return new Uint8Array((body.byteLength && body) as ArrayBuffer)
  throw new WebhookVerificationError(
    'body_not_raw',
    "Body must be raw: express.raw({ type: '*/*' }), request.text(), Lambda event.body",
  )
}

/** ES2024, and in every runtime that this package runs on. */
type WellFormable = string & { isWellFormed(): boolean }

/** Uses what was signed, once it has proved to be signed and recent. One function: each further `await` would cost. */
export async function whenSigned<T>(
  params: VerifyWebhookParams,
  use: (timestamp: number, body: string | Uint8Array) => T,
): Promise<T> {
  const secrets = readSecrets(params.secret)
  const tolerance = readTolerance(params.toleranceSeconds)
  const body = readBody(params.body)
  const signedAt = readHeader(params.headers, timestampHeader, timestampForm)
  const signature = readHeader(params.headers, signatureHeader)
  let signed = false
  // No early exit: the time taken must not tell which of the secrets fitted.
  for (const secret of secrets) {
    const hmac = hmacSha256Hex(secret, `${signedAt}.`, body)
    signed = equalHmacs(typeof hmac === 'string' ? hmac : await hmac, signature) || signed
  }
  // A lone surrogate is hashed as U+FFFD: without this, text could change under a signature that holds.
  if (!signed || (typeof body === 'string' && !(body as WellFormable).isWellFormed())) {
    // A signature that fits has the form: this tells what is wrong with one that does not.
    readHeader(params.headers, signatureHeader, signatureForm)
    throw new WebhookVerificationError('signature_mismatch', 'Signature fits no secret')
  }

  const timestamp = +signedAt
  const now = +(params.now ? params.now() : Date.now())
  // Written so that a clock that gives no time (NaN) refuses.
  if (Math.abs(now / 1000 - timestamp) <= tolerance) return use(timestamp, body)
  throw new WebhookVerificationError('timestamp_out_of_tolerance', `Signed over ${tolerance} s from now`)
}

/**
 * Checks the signature of a delivery and nothing else: the body is not parsed, so it may be any JSON. Which
 * event it is stands in the signed body; the event id header is not signed, and not looked at here.
 *
 * @returns `timestamp`: when it was signed, in seconds since the epoch
 * @throws {ConfigurationError} a secret or the tolerance cannot work
 * @throws {WebhookVerificationError} `body_not_raw`, `missing_header`, `malformed_header`,
 *   `signature_mismatch` or `timestamp_out_of_tolerance`: answer 400
 * @see service contract, section 6
 *
 * @example
 * await verifyWebhookSignature({ body: await request.text(), headers: request.headers, secret })
 */
export function verifyWebhookSignature(params: VerifyWebhookParams): Promise<{ timestamp: number }> {
  return whenSigned(params, (timestamp) => ({ timestamp }))
}

/** With what a delivery is signed. */
export interface SignWebhookOptions {
  /** The webhook signing secret; of several, the first signs. */
  readonly secret: string | readonly string[]
  /** When it is said to be signed: whole seconds since the epoch. @default now */
  readonly timestamp?: number | undefined
}

/** What to sign: an event, which is written as JSON, or a body that is sent as it is. */
export type SignWebhookParams<Body extends WebhookBody = WebhookBody> = SignWebhookOptions &
  (
    | { readonly event: object; readonly body?: undefined }
    | { readonly body: Body; readonly event?: undefined }
  )

/** A delivery that verifies. */
export interface SignedWebhook<Body extends WebhookBody = WebhookBody> {
  /** The headers of a delivery, names in lower case. The event id is left out where the body has none. */
  readonly headers: Record<string, string>
  /** The body as it was given, or the JSON of the event. */
  readonly body: Body
}

/**
 * Signs a delivery as the service does, so that a receiver can be tested without a network.
 *
 * @throws {ConfigurationError} the secret is blank, the timestamp is not in whole seconds, the event is
 *   no object that JSON can hold, or both or neither of `event` and `body` are given
 * @see service contract, section 6
 *
 * @example
 * const delivery = await signWebhook({
 *   event: { event_id: 'evt_1', type: 'verification.approved', session_id: 'sess_1' },
 *   secret,
 * })
 * const event = await verifyWebhook({ ...delivery, secret })
 */
export async function signWebhook(
  params: SignWebhookOptions & { readonly event: object; readonly body?: undefined },
): Promise<SignedWebhook<string>>
export async function signWebhook<Body extends WebhookBody>(
  params: SignWebhookOptions & { readonly body: Body; readonly event?: undefined },
): Promise<SignedWebhook<Body>>
export async function signWebhook(params: SignWebhookParams): Promise<SignedWebhook>
export async function signWebhook(params: SignWebhookParams): Promise<SignedWebhook> {
  const secret = readSecrets(params.secret)[0] as string
  const timestamp = String(params.timestamp ?? Math.floor(Date.now() / 1000))
  if (!timestampForm.test(timestamp))
    throw new ConfigurationError('timestamp must be in whole seconds since the epoch, not milliseconds')
  if ((params.event === undefined) === (params.body === undefined))
    throw new ConfigurationError('Give either event or body')
  const body = params.body ?? jsonOf(params.event)
  const raw = readBody(body)
  const headers: Record<string, string> = {
    [timestampHeader]: timestamp,
    [signatureHeader]: await hmacSha256Hex(secret, `${timestamp}.`, raw),
  }
  const eventId = eventIdOf(raw)
  if (eventId !== undefined) headers[eventIdHeader] = eventId
  return { headers, body }
}

function jsonOf(event: unknown): string {
  try {
    if (typeof event === 'object' && event !== null) return JSON.stringify(event)
  } catch (error) {
    throw new ConfigurationError('event cannot be written as JSON', error)
  }
  throw new ConfigurationError('event must be an object')
}

function eventIdOf(raw: string | Uint8Array): string | undefined {
  try {
    const parsed: unknown = JSON.parse(typeof raw === 'string' ? raw : new TextDecoder().decode(raw))
    const id = (parsed as { event_id?: unknown } | null)?.event_id
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

import { equalBytes, hmacSha256 } from '#platform'
import { webhookHeaders, webhookToleranceSeconds } from '../contract/webhook-delivery.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { WebhookVerificationError } from '../errors/webhook-error.ts'
import { readHeader, type WebhookHeaders } from './headers.ts'

/** A body as it was received: before any parser, and before any re-encoding. */
export type WebhookBody = string | Uint8Array | ArrayBuffer

/** One delivery, as it arrived. */
export interface WebhookDelivery {
  readonly body: WebhookBody
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

export interface VerifyWebhookParams extends WebhookDelivery, WebhookTrust {}

/** {@link WebhookTrust} with every default filled in. */
export interface TrustSettings {
  readonly secrets: readonly string[]
  readonly toleranceSeconds: number
  readonly now: () => Date
}

export function readTrust({ secret, toleranceSeconds, now }: WebhookTrust): TrustSettings {
  const tolerance = toleranceSeconds ?? webhookToleranceSeconds
  if (!Number.isFinite(tolerance) || tolerance < 0)
    throw new ConfigurationError('toleranceSeconds must be a finite number, 0 or more')
  return { secrets: readSecrets(secret), toleranceSeconds: tolerance, now: now ?? (() => new Date()) }
}

function readSecrets(secret: unknown): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one.trim()))
    return secrets as string[]
  throw new ConfigurationError('secret must be a string that is not blank, or a list of them')
}

function readBody(body: unknown): string | Uint8Array {
  if (typeof body === 'string') return body
  // Told by its tag: under Jest and in vm contexts, bytes come from another realm's Uint8Array.
  if (ArrayBuffer.isView(body) && (body as Uint8Array)[Symbol.toStringTag] === 'Uint8Array')
    return body as Uint8Array
  // Of bytes that were transferred elsewhere no view can be made.
  if (body instanceof ArrayBuffer) return new Uint8Array(body.byteLength > 0 ? body : 0)
  throw new WebhookVerificationError(
    'body_not_raw',
    "The body must be raw, not parsed. Express: express.raw({ type: '*/*' }); Next.js: request.text(), or bodyParser: false; Lambda: event.body, decoded if isBase64Encoded",
  )
}

const hexDigit = (code: number) => (code & 15) + (code >> 6) * 9

function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(32)
  for (let i = 0; i < 64; i += 2)
    bytes[i / 2] = hexDigit(hex.charCodeAt(i)) * 16 + hexDigit(hex.charCodeAt(i + 1))
  return bytes
}

/** Throws unless the delivery is signed and recent; returns the signed time and the body without a copy. */
export async function checkSignature(
  trust: TrustSettings,
  { body, headers }: WebhookDelivery,
): Promise<{ timestamp: number; body: string | Uint8Array }> {
  const raw = readBody(body)
  const signedAt = readHeader(headers, webhookHeaders.timestamp, /^\d{1,12}$/)
  const given = bytesOfHex(readHeader(headers, webhookHeaders.signature, /^[0-9a-f]{64}$/))
  let signed = false
  // No early exit: the time taken must not tell which of the secrets fitted.
  for (const secret of trust.secrets)
    signed = equalBytes(await hmacSha256(secret, `${signedAt}.`, raw), given) || signed
  // A lone surrogate is hashed as U+FFFD: without this, text could change under a signature that holds.
  if (!signed || (typeof raw === 'string' && !(raw as WellFormable).isWellFormed()))
    throw new WebhookVerificationError('signature_mismatch', 'The signature fits none of the secrets')

  const timestamp = Number(signedAt)
  // Written so that a clock that gives no time (NaN) refuses.
  if (!(Math.abs(Number(trust.now()) / 1000 - timestamp) <= trust.toleranceSeconds))
    throw new WebhookVerificationError(
      'timestamp_out_of_tolerance',
      `Signed more than ${trust.toleranceSeconds} seconds from now`,
    )
  return { timestamp, body: raw }
}

/** ES2024, and in every runtime that this package runs on. */
type WellFormable = string & { isWellFormed(): boolean }

/**
 * Checks the signature of a delivery and nothing else: the body is not parsed, so it may be any JSON. Which
 * event it is stands in the signed body; the event id header is not signed, and not looked at here.
 *
 * @returns `timestamp`: when it was signed, in seconds since the epoch
 * @throws {ConfigurationError} a secret, the tolerance or the clock cannot work
 * @throws {WebhookVerificationError} `body_not_raw`, `missing_header`, `malformed_header`,
 *   `signature_mismatch` or `timestamp_out_of_tolerance`: answer 400
 * @see service contract, section 6
 *
 * @example
 * await verifyWebhookSignature({ body: await request.text(), headers: request.headers, secret })
 */
export async function verifyWebhookSignature(params: VerifyWebhookParams): Promise<{ timestamp: number }> {
  const { timestamp } = await checkSignature(readTrust(params), params)
  return { timestamp }
}

interface SignOptions {
  /** The webhook signing secret; of several, the first signs. */
  readonly secret: string | readonly string[]
  /** When it is said to be signed: whole seconds since the epoch. @default now */
  readonly timestamp?: number | undefined
}

/** What to sign: an event, which is written as JSON, or a body that is sent as it is. */
export type SignWebhookParams<Body extends WebhookBody = WebhookBody> = SignOptions &
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
  params: SignOptions & { readonly event: object; readonly body?: undefined },
): Promise<SignedWebhook<string>>
export async function signWebhook<Body extends WebhookBody>(
  params: SignOptions & { readonly body: Body; readonly event?: undefined },
): Promise<SignedWebhook<Body>>
export async function signWebhook(params: SignWebhookParams): Promise<SignedWebhook>
export async function signWebhook(params: SignWebhookParams): Promise<SignedWebhook> {
  const secret = readSecrets(params.secret)[0] as string
  const timestamp = String(params.timestamp ?? Math.floor(Date.now() / 1000))
  if (!/^\d{1,12}$/.test(timestamp))
    throw new ConfigurationError('timestamp must be in whole seconds since the epoch, not milliseconds')
  if ((params.event === undefined) === (params.body === undefined))
    throw new ConfigurationError('Give either event or body')
  const body = params.body ?? jsonOf(params.event)
  const raw = readBody(body)
  const mac = await hmacSha256(secret, `${timestamp}.`, raw)
  const headers: Record<string, string> = {
    [webhookHeaders.timestamp]: timestamp,
    [webhookHeaders.signature]: Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  }
  const eventId = eventIdOf(raw)
  if (eventId !== undefined) headers[webhookHeaders.eventId] = eventId
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

import { idempotencyHeader } from '../../contract/service.ts'
import { parseJson } from '../../runtime/bytes.ts'
import { urlOf } from './request.ts'
import type { Saved } from './saved.ts'
import { isSecretName, masked, maskedJson, maskText } from './secrets.ts'

/** One request that the emulator received. */
export interface RecordedRequest {
  /** The `X-Request-Id` of the response. */
  readonly requestId: string
  /** ISO 8601, by the emulator's clock. */
  readonly at: string
  /** The HTTP method. */
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Header names in lower case. The values of credentials are masked. */
  readonly headers: Readonly<Record<string, string>>
  /** The operation that served it, such as `checks.age`. Missing for pages and unknown paths. */
  readonly operation?: string
  /** The `Idempotency-Key`. Missing if the request had none. */
  readonly idempotencyKey?: string
  /** A text body of up to 64 KiB. Missing for images, multipart forms and larger bodies. */
  readonly body?: string
  /** Size of the body in bytes. */
  readonly bytes: number
  /**
   * Status of the response. Missing while the request is in progress, and for good if the connection was reset or the
   * client aborted the request.
   */
  readonly status?: number
  /** Names in lower case. Missing while there is no `status`. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** A JSON response of up to 64 KiB. Missing for other responses, and for all but the latest 1,000 requests. */
  readonly responseBody?: string
}

/** A record that is still being written. */
export type RequestDraft = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] }

/** Older requests are dropped, so that the memory of a long-running server stays bounded. */
const maxRequests = 10_000

/** Only the latest requests keep their response bodies. Snapshots contain these requests without their responses. */
const maxDetailed = 1000

const maxBodyBytes = 64 * 1024

const isText = (contentType: string | null) =>
  contentType !== null &&
  /^(?:text\/|application\/(?:[\w.]+\+)?json|application\/x-www-form-urlencoded)/i.test(contentType)

const isJson = (contentType: string | null) => /^application\/(?:[\w.]+\+)?json/i.test(contentType ?? '')

/** The requests received, oldest first. */
export class RequestLog {
  readonly requests: RequestDraft[]
  readonly #onRequest: ((request: RecordedRequest) => void) | undefined

  /** @param onRequest called with each request when it has ended: with a response, a reset or an abort */
  constructor(onRequest: ((request: RecordedRequest) => void) | undefined, saved: Saved<RequestLog> = []) {
    this.#onRequest = onRequest
    this.requests = [...saved]
  }

  save(): readonly RecordedRequest[] {
    return this.requests.slice(-maxDetailed).map(({ responseBody: _, ...request }) => request)
  }

  open(request: Request, requestId: string, at: Date): RequestDraft {
    const { pathname, search } = urlOf(request)
    const headers: Record<string, string> = {}
    for (const [name, value] of request.headers) headers[name] = isSecretName(name) ? masked : value
    const key = request.headers.get(idempotencyHeader)
    const draft: RequestDraft = {
      requestId,
      at: at.toISOString(),
      method: request.method,
      path: pathname + search,
      headers,
      ...(key === null ? {} : { idempotencyKey: key }),
      bytes: 0,
    }
    this.requests.push(draft)
    if (this.requests.length > maxRequests) this.requests.shift()
    delete this.requests.at(-1 - maxDetailed)?.responseBody
    return draft
  }

  /** Ends a record, with or without a response. */
  close(draft: RequestDraft): void {
    try {
      this.#onRequest?.(draft)
    } catch (error) {
      // It must be visible, but must not change the response to the request.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}

/** Adds the body to a record. */
export function recordBody(draft: RequestDraft, bytes: Uint8Array): void {
  draft.bytes = bytes.byteLength
  if (bytes.byteLength > 0 && bytes.byteLength <= maxBodyBytes && isText(draft.headers['content-type'] ?? null))
    draft.body = new TextDecoder().decode(bytes)
}

/** Adds the response to a record. @param body the text of its body, if it is known */
export async function recordResponse(draft: RequestDraft, response: Response, body?: string): Promise<void> {
  draft.status = response.status
  draft.responseHeaders = Object.fromEntries(response.headers)
  if (!isJson(response.headers.get('content-type'))) return
  const text = body ?? (await response.clone().text())
  if (text.length > 0 && text.length <= maxBodyBytes) draft.responseBody = text
}

/**
 * Masks the secrets of a request and of its response. Bodies are read for that. A body that is neither JSON nor a form
 * is left out, because a secret could be anywhere in it.
 */
export function withoutSecrets({ body, responseBody, responseHeaders, ...request }: RecordedRequest): RecordedRequest {
  const shownBody = maskedBody(body)
  const shownResponse = maskedJson(parsed(responseBody), isSecretOfResponse)
  return {
    ...request,
    path: maskText(request.path),
    headers: maskedHeaders(request.headers),
    ...(shownBody !== undefined && { body: shownBody }),
    ...(responseHeaders && { responseHeaders: maskedHeaders(responseHeaders) }),
    ...(shownResponse !== undefined && { responseBody: shownResponse }),
  }
}

/** In an error, `code` says what is wrong. */
const isSecretOfResponse = (name: string, owner: object) =>
  isSecretName(name) && !(name === 'code' && 'message' in owner)

const parsed = (text: string | undefined) => (text === undefined ? undefined : parseJson(text))

/**
 * Masks the secrets of a body, and returns `undefined` if it is neither JSON nor a form. Many programs send JSON with
 * the content type of a form, so the text decides.
 */
function maskedBody(text: string | undefined): string | undefined {
  const json = maskedJson(parsed(text))
  if (json !== undefined || text === undefined) return json
  const isForm = [...new URLSearchParams(text)].every(([name]) => /^[\w.[\]-]+$/.test(name))
  return isForm ? maskText(text) : undefined
}

const maskedHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? masked : maskText(value)]),
  )

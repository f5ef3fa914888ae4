import { apiKeyHeader, idempotencyHeader, organizationHeaders } from '../../../contract/service.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { RequestFeed } from './request-feed.ts'

/** A record that is still being written. */
export type RequestDraft = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] }

const credentials: ReadonlySet<string> = new Set([
  apiKeyHeader,
  organizationHeaders.clientSecret,
  'authorization',
  'proxy-authorization',
  'cookie',
])

/** Older requests are forgotten, so that a server that runs for days does not grow for days. */
const remembered = 10_000

const longestText = 64 * 1024

const isText = (contentType: string | null) =>
  contentType !== null &&
  /^(?:text\/|application\/(?:[\w.]+\+)?json|application\/x-www-form-urlencoded)/i.test(contentType)

/** What arrived, in its order. */
export class RequestLog {
  readonly requests: RecordedRequest[] = []
  readonly #feed: RequestFeed

  constructor(feed: RequestFeed) {
    this.#feed = feed
  }

  open(request: Request, requestId: string, at: Date): RequestDraft {
    const { pathname, search } = new URL(request.url)
    const headers: Record<string, string> = {}
    for (const [name, value] of request.headers) headers[name] = credentials.has(name) ? '[masked]' : value
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
    if (this.requests.length > remembered) this.requests.shift()
    return draft
  }

  /** The request is over, answered or not. */
  close(draft: RequestDraft): void {
    this.#feed.tell(draft)
  }
}

/** Notes the body of a request. */
export function noteBody(draft: RequestDraft, bytes: Uint8Array): void {
  draft.bytes = bytes.byteLength
  if (
    bytes.byteLength > 0 &&
    bytes.byteLength <= longestText &&
    isText(draft.headers['content-type'] ?? null)
  )
    draft.body = new TextDecoder().decode(bytes)
}

import { encodeUtf8 } from '../../runtime/bytes.ts'
import type { RequestFeed } from '../state/request-log.ts'
import { toLogEntry } from './requests-page.ts'

/** Limits the number of open streams, because each holds a connection and a listener. */
const maxStreams = 32

/** Sends the request log to browsers as server-sent events. */
export class RequestStreams {
  readonly #feed: RequestFeed
  #open = 0

  constructor(feed: RequestFeed) {
    this.#feed = feed
  }

  /** Opens a stream, or responds with 503 if too many are open. @param signal ends the stream; that of the request */
  open(signal: AbortSignal): Response {
    if (this.#open >= maxStreams)
      return new Response('Too many request logs are open. Close one of them, then reload.\n', {
        status: 503,
      })
    this.#open += 1
    let end = () => {}
    const events = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const unsubscribe = this.#feed.subscribe((request) => {
          // Requests that a browser does not read are dropped, so that a stalled connection cannot fill the memory.
          if ((controller.desiredSize ?? 0) > -1000)
            controller.enqueue(encodeUtf8(`data: ${JSON.stringify(toLogEntry(request))}\n\n`))
        })
        end = () => {
          end = () => {}
          unsubscribe()
          this.#open -= 1
          signal.removeEventListener('abort', leave)
        }
        const leave = () => {
          end()
          controller.close()
        }
        signal.addEventListener('abort', leave, { once: true })
        // A first line, so that the browser reports the open connection at once.
        controller.enqueue(encodeUtf8('retry: 1000\n\n'))
      },
      cancel: () => end(),
    })
    return new Response(events, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    })
  }
}

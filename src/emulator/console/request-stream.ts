import type { RequestFeed } from '../state/request-log.ts'
import { toLogEntry } from './requests-page.ts'

/** Each needs a connection and a place among the listeners. */
const mostStreams = 32

const encoder = new TextEncoder()

/** The request log as server-sent events. */
export class RequestStreams {
  readonly #feed: RequestFeed
  #open = 0

  constructor(feed: RequestFeed) {
    this.#feed = feed
  }

  /** @param signal of the request: ends the stream */
  open(signal: AbortSignal): Response {
    if (this.#open >= mostStreams) return new Response('Too many request logs are open.\n', { status: 503 })
    this.#open += 1
    let end = () => {}
    const events = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const unsubscribe = this.#feed.subscribe((request) => {
          // Who does not read has left: what piles up for them is dropped.
          if ((controller.desiredSize ?? 0) > -1000)
            controller.enqueue(encoder.encode(`data: ${JSON.stringify(toLogEntry(request))}\n\n`))
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
        // Makes the browser tell at once that it is connected.
        controller.enqueue(encoder.encode('retry: 1000\n\n'))
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

import { aSession } from './fixtures.ts'

/** A request that a fetch was given. */
interface SentRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array
}

/** What a fetch does at one call: answers, or throws. */
export type Step = (signal: AbortSignal) => Response | Promise<Response>

export const respond =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Step =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: { 'x-request-id': 'req_1', ...headers },
    })

export const succeed = (data: unknown = aSession()): Step =>
  respond(200, { success: true, data, error: null })

export const fail = (status: number, code: string, headers?: Record<string, string>): Step =>
  respond(status, { success: false, data: null, error: { code, message: `it is ${code}` } }, headers)

const broken = (message: string, code: string, more: object = {}): Step => {
  return () => {
    const cause = Object.assign(new Error(message), { code, ...more })
    return Promise.reject(new TypeError('fetch failed', { cause }))
  }
}

/** Nothing was sent. */
export const refuseConnection = broken('connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED', {
  syscall: 'connect',
})

/** Something was sent, and no answer came. */
export const breakConnection = broken('other side closed', 'UND_ERR_SOCKET')

/** No answer ever comes; a fetch as it should be heeds its signal. */
export const hang: Step = (signal) =>
  new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })

/** A fetch that takes one step a call, and the last one for good. */
export function scriptedFetch(...steps: Step[]) {
  const given: SentRequest[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const step = steps[Math.min(given.length, steps.length - 1)] ?? succeed()
    const { url, method, headers } = request
    given.push({ url, method, headers, body: new Uint8Array(await request.arrayBuffer()) })
    return step(init?.signal ?? new AbortController().signal)
  }
  return { fetch: fetch, requests: given }
}

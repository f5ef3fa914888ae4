import { aSession } from './fixtures.ts'

/** A request that the fetch received. */
interface SentRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array
}

/** What the fetch does at one call: it responds or throws. */
export type Step = (signal: AbortSignal) => Response | Promise<Response>

export const respond =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Step =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: { 'x-request-id': 'req_1', ...headers },
    })

export const succeed = (data: unknown = aSession()): Step => respond(200, { success: true, data, error: null })

export const fail = (status: number, code: string, headers?: Record<string, string>): Step =>
  respond(status, { success: false, data: null, error: { code, message: `it is ${code}` } }, headers)

const throwFailure = (message: string, code: string, more: object = {}): Step => {
  return () => {
    const cause = Object.assign(new Error(message), { code, ...more })
    return Promise.reject(new TypeError('fetch failed', { cause }))
  }
}

/** Fails before a byte was sent. */
export const refuseConnection = throwFailure('connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED', {
  syscall: 'connect',
})

/** Fails after bytes were sent, without a response. */
export const breakConnection = throwFailure('other side closed', 'UND_ERR_SOCKET')

/** Never responds. Rejects when the signal aborts, as a fetch should. */
export const hang: Step = (signal) =>
  new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })

/** Never responds, and calls back once the request is in flight, for example to let the attempt time out. */
export const hangThen =
  (inFlight: () => unknown): Step =>
  (signal) => {
    void inFlight()
    return hang(signal)
  }

/** A fetch that takes one step at each call. The last step is used for all further calls. */
export function scriptedFetch(...steps: Step[]) {
  const requests: SentRequest[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const step = steps[Math.min(requests.length, steps.length - 1)] ?? succeed()
    const { url, method, headers } = request
    requests.push({ url, method, headers, body: new Uint8Array(await request.arrayBuffer()) })
    return step(init?.signal ?? new AbortController().signal)
  }
  return { fetch, requests }
}

import { type DefaultBodyType, HttpHandler, HttpResponse, http, type StrictResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { baseUrl } from './verification-client.ts'

/** An answer of the service, or what makes one of a request. */
export type Answer = StrictResponse<DefaultBodyType> | ((request: Request) => Response | Promise<Response>)

/** A payload in its envelope. */
export const ok = (data: unknown, headers: Record<string, string> = {}) =>
  HttpResponse.json(
    { success: true, data, error: null },
    { headers: { 'x-request-id': 'req_ok', ...headers } },
  )

/** An error in its envelope; `more` is the rest of `error`. */
export const refused = (
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
) =>
  HttpResponse.json(
    { success: false, data: null, error: { code, message: `The service says ${code}.`, ...more } },
    { status, headers: { 'x-request-id': 'req_refused', ...headers } },
  )

/** The connection breaks after the request has gone out. */
export const reset = () => HttpResponse.error()

/**
 * The service as one test file scripts it, behind the global fetch. A request that no answer is left for, and
 * an answer that nobody asked for, fail the test.
 */
export function scriptedService() {
  const server = setupServer()
  const requests: Request[] = []
  const strays: string[] = []

  beforeAll(() => {
    server.listen({ onUnhandledRequest: 'error' })
    server.events.on('request:unhandled', ({ request }) => void strays.push(lineOf(request)))
  })
  afterEach(() => {
    const handlers = server.listHandlers().filter((handler) => handler instanceof HttpHandler)
    const left = handlers.filter(({ isUsed }) => !isUsed).map(({ info }) => info.header)
    const unhandled = strays.splice(0)
    server.resetHandlers()
    requests.length = 0
    expect(unhandled, 'requests without an answer').toEqual([])
    expect(left, 'answers that nobody asked for').toEqual([])
  })
  afterAll(() => server.close())

  return {
    /** Every request of the running test, in order. */
    requests,
    /** The same, each as its method and path. */
    get lines(): string[] {
      return requests.map(lineOf)
    },
    /** Answers the requests for a method and a path below the base URL: one after the other, each once. */
    answers(line: string, ...answers: readonly Answer[]): void {
      const [method = '', path = ''] = line.split(' ')
      const on = { GET: http.get, POST: http.post, PATCH: http.patch, DELETE: http.delete }[method]
      if (!on) throw new Error(`no such method: ${method}`)
      const handlers = answers.map((answer) => {
        const take = async ({ request }: { request: Request }) => {
          const kept = await whole(request)
          requests.push(kept)
          return typeof answer === 'function' ? answer(kept) : answer
        }
        return on(baseUrl + path, take, { once: true })
      })
      server.use(...handlers)
    },
  }
}

/** The request with its body in memory: the client may close a stream once it is answered. */
async function whole(request: Request): Promise<Request> {
  const { method, headers } = request
  const body = await request.arrayBuffer()
  return new Request(request.url, { method, headers, ...(body.byteLength > 0 ? { body } : {}) })
}

const lineOf = (request: Request) => `${request.method} ${new URL(request.url).pathname}`

import { type DefaultBodyType, HttpHandler, HttpResponse, http, type StrictResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { baseUrl } from './verification-client.ts'

/** A response of the service, or a function that creates one from the request. */
export type ScriptedResponse = StrictResponse<DefaultBodyType> | ((request: Request) => Response | Promise<Response>)

/** A payload in its envelope. */
export const ok = (data: unknown, headers: Record<string, string> = {}) =>
  HttpResponse.json({ success: true, data, error: null }, { headers: { 'x-request-id': 'req_ok', ...headers } })

/** An error in its envelope. `more` contains further members of `error`. */
export const errorResponse = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  HttpResponse.json(
    { success: false, data: null, error: { code, message: `The service says ${code}.`, ...more } },
    { status, headers: { 'x-request-id': 'req_error', ...headers } },
  )

/** The connection breaks after the request was sent. */
export const reset = () => HttpResponse.error()

/**
 * The service as one test file scripts it, behind the global fetch. A request without a scripted response fails the
 * test, and so does a scripted response that was never requested.
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
    const unused = handlers.filter(({ isUsed }) => !isUsed).map(({ info }) => info.header)
    const unhandled = strays.splice(0)
    server.resetHandlers()
    requests.length = 0
    expect(unhandled, 'requests without a scripted response').toEqual([])
    expect(unused, 'scripted responses that were never requested').toEqual([])
  })
  afterAll(() => server.close())

  return {
    /** Every request of the running test, in order. */
    requests,
    /** The same, each as its method and path. */
    get lines(): string[] {
      return requests.map(lineOf)
    },
    /** Scripts the responses to a method and a path below the base URL. They are sent in order, each once. */
    respondTo(line: string, ...responses: readonly ScriptedResponse[]): void {
      const [method = '', path = ''] = line.split(' ')
      const on = { GET: http.get, POST: http.post, PUT: http.put, PATCH: http.patch, DELETE: http.delete }[method]
      if (!on) throw new Error(`no such method: ${method}`)
      const handlers = responses.map((response) => {
        const respond = async ({ request }: { request: Request }) => {
          const copy = await whole(request)
          requests.push(copy)
          return typeof response === 'function' ? response(copy) : response
        }
        return on(baseUrl + path, respond, { once: true })
      })
      server.use(...handlers)
    },
  }
}

/** The request with its body in memory, because the client may close a stream after the response. */
async function whole(request: Request): Promise<Request> {
  const { method, headers } = request
  const body = await request.arrayBuffer()
  return new Request(request.url, { method, headers, ...(body.byteLength > 0 ? { body } : {}) })
}

const lineOf = (request: Request) => `${request.method} ${new URL(request.url).pathname}`

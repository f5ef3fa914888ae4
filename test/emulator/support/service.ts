import { expect, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/emulator.ts'

// Requests and responses are raw HTTP, written as the service contract shows them. The clients and the declarations
// that the emulator is built from are not used, so that their mistakes cannot cancel out.

/** The time at which every emulator of these tests starts. Its clock stands still. */
export const start = new Date('2026-03-01T12:00:00.000Z')

export const later = (seconds: number) => new Date(start.getTime() + seconds * 1000)

/** The origin of an emulator that is called in-process. */
export const origin = 'https://identity.example'

export const apiKey = { 'X-API-Key': 'key_1' }
export const organization = { 'X-Client-Id': 'org_1', 'X-Client-Secret': 'org_secret_1' }
export const application = { client_id: 'app_1', client_secret: 'app_secret_1' }
export const redirectUri = 'https://app.example/callback'
export const webhookSecret = 'whsec_1'

interface Sent {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly json?: unknown
  readonly body?: FormData | URLSearchParams | string | Uint8Array<ArrayBuffer> | undefined
  /** The `Idempotency-Key`. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A response in the envelope of section 2.1. */
interface Enveloped<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly data: Data
  readonly error: Readonly<Record<string, unknown>> | null
}

/** Section 2.2. */
export interface Session {
  readonly session_id: string
  readonly status: string
  readonly url: string
  readonly session_token: string
  readonly features: readonly string[]
  readonly redirect_url: string
  readonly expires_at: string
}

/** Section 2.3. */
export interface Check {
  readonly type: string
  readonly status: string
  readonly score?: number
  readonly data: Readonly<Record<string, unknown>>
  readonly error: Readonly<Record<string, unknown>> | null
}

/** Section 2.4. */
interface Decision {
  readonly status: string
  readonly decision: string | null
  readonly decided_at: string | null
  readonly checks: readonly Check[]
}

/** An emulator that is called in-process, and raw requests to it. */
export function inProcess(options: EmulatorOptions = {}) {
  const emulator = emulatorWith(options)
  return requestsTo(emulator, origin, (request) => emulator.fetch(request), options)
}

/** An emulator that listens, and raw requests to it over HTTP. By default it is closed when the test ends. */
export async function overHttp(
  options: EmulatorOptions = {},
  whenDone: (close: () => Promise<void>) => void = onTestFinished,
) {
  const emulator = emulatorWith(options)
  const server = await emulator.listen()
  whenDone(() => server.close())
  return requestsTo(emulator, server.url, (request) => fetch(request), options)
}

export type Service = ReturnType<typeof inProcess>

/** Creates a request with the credentials that its path needs. */
export function requestOf(method: string, path: string, { headers, ...sent }: Sent = {}): Request {
  const credentials = path.startsWith('/api/sdk') ? organization : apiKey
  return rawRequest(origin, method, path, { ...sent, headers: { ...credentials, ...headers } })
}

function emulatorWith(options: EmulatorOptions): Emulator {
  return createEmulator({
    clock: () => start,
    apiKey: apiKey['X-API-Key'],
    ...options,
    oidc: {
      clientId: application.client_id,
      clientSecret: application.client_secret,
      redirectUris: [redirectUri],
      ...options.oidc,
    },
    org: {
      clientId: organization['X-Client-Id'],
      clientSecret: organization['X-Client-Secret'],
      ...options.org,
    },
    webhooks: { secret: webhookSecret, ...options.webhooks },
  })
}

function rawRequest(
  base: string,
  method: string,
  path: string,
  { headers, json, body, key, signal }: Sent = {},
): Request {
  const content = body ?? (json === undefined ? undefined : JSON.stringify(json))
  return new Request(new URL(path, base), {
    method,
    redirect: 'manual',
    headers: {
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
    ...(signal && { signal }),
  })
}

function requestsTo(
  emulator: Emulator,
  url: string,
  send: (request: Request) => Promise<Response>,
  { seed }: EmulatorOptions,
) {
  const requestIds = new Set<string>()

  /** Sends a request as it is. Section 2.1: every response has an `X-Request-Id`. */
  const raw = async (method: string, path: string, sent: Sent = {}) => {
    const response = await send(rawRequest(url, method, path, sent))
    const requestId = response.headers.get('x-request-id') ?? ''
    expect(requestId, `X-Request-Id of ${method} ${path}`).not.toBe('')
    expect(requestIds.has(requestId), `X-Request-Id of ${method} ${path} is used twice`).toBe(false)
    // With a seed, the ids start again after a reset.
    if (seed === undefined) requestIds.add(requestId)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  /** Sends a request to one of the two APIs with an envelope, with the credentials that its path needs. */
  const call = async <Data = unknown>(
    method: string,
    path: string,
    { headers, ...sent }: Sent = {},
  ): Promise<Enveloped<Data>> => {
    const credentials = path.startsWith('/api/sdk') ? organization : apiKey
    const { text, ...response } = await raw(method, path, {
      ...sent,
      headers: { ...credentials, ...headers },
    })
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/)
    const envelope = JSON.parse(text)
    expectEnvelope(envelope, response.status)
    return { ...response, data: envelope.data, error: envelope.error }
  }

  const get = <Data = unknown>(path: string) => call<Data>('GET', path)
  const post = <Data = unknown>(path: string, json: unknown, sent: Sent = {}) =>
    call<Data>('POST', path, { json, ...sent })
  const patch = <Data = unknown>(path: string, json?: unknown) => call<Data>('PATCH', path, { json })

  return {
    emulator,
    url,
    raw,
    call,
    get,
    post,
    patch,
    session: async (fields: object = {}) =>
      (await post<Session>('/api/v2/session', { workflow_id: 'wf_identity', ...fields })).data,
    statusOf: async (id: string) => (await get<Session>(`/api/v2/session/${id}`)).data.status,
    decide: (id: string, status: unknown) => patch<Session>(`/api/v2/session/${id}/status`, { status }),
    decisionOf: async (id: string) => (await get<Decision>(`/api/v2/session/${id}/decision`)).data,
  }
}

/** Checks section 2.1 for every response that these tests receive. */
function expectEnvelope(envelope: unknown, status: number): void {
  const succeeded = status >= 200 && status <= 299
  expect(envelope).toEqual({
    success: succeeded,
    data: expect.toSatisfy((data) => typeof data === 'object'),
    error: succeeded ? null : expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
  })
}

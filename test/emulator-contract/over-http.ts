import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'

// Everything that the service says is read from raw HTTP here and spelled as the service contract spells it. Neither
// our clients nor the declarations that the emulator is made of take part.

/** The moment at which every emulator of this suite begins. */
export const start = new Date('2026-03-01T12:00:00.000Z')

export const later = (seconds: number) => new Date(start.getTime() + seconds * 1000)

const apiKey = { 'X-API-Key': 'key_1' }
export const organization = { 'X-Client-Id': 'org_1', 'X-Client-Secret': 'org_secret_1' }
export const application = { client_id: 'app_1', client_secret: 'app_secret_1' }
export const redirectUri = 'https://app.example/callback'
export const webhookSecret = 'whsec_1'

const workflows = [
  { id: 'wf_face', name: 'Face', features: ['id_verification', 'liveness', 'face_match'] },
  {
    id: 'wf_all',
    name: 'Everything',
    features: ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'],
  },
]

interface Sent {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly json?: unknown
  readonly body?: FormData | string | Uint8Array<ArrayBuffer> | undefined
}

/** An answer in the envelope of section 2.1. */
export interface Enveloped<Data> {
  readonly status: number
  readonly headers: Headers
  readonly data: Data
  readonly error: Readonly<Record<string, unknown>> | null
}

export interface Session {
  readonly session_id: string
  readonly status: string
  readonly url: string
  readonly session_token: string
  readonly features: readonly string[]
  readonly redirect_url: string
  readonly expires_at: string
}

/** An emulator that listens, and raw requests to it. It is closed when the test ends. */
export async function listening(
  options: EmulatorOptions = {},
  atTheEnd: (close: () => Promise<void>) => void = onTestFinished,
) {
  const emulator = createEmulator({
    clock: () => start,
    apiKey: apiKey['X-API-Key'],
    workflows,
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
  const server = await emulator.listen()
  atTheEnd(() => server.close())
  const requestIds = new Set<string>()

  /** One request, as it is. Section 2.1: every response carries an `X-Request-Id`. */
  const raw = async (method: string, path: string, { headers = {}, json, body }: Sent = {}) => {
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' }
    const content = body ?? (json === undefined ? undefined : JSON.stringify(json))
    const response = await fetch(new URL(path, server.url), {
      method,
      redirect: 'manual',
      headers: { ...type, ...headers },
      ...(content === undefined ? {} : { body: content }),
    })
    const requestId = response.headers.get('x-request-id') ?? ''
    expect(requestId, `X-Request-Id of ${method} ${path}`).not.toBe('')
    expect(requestIds.has(requestId), `X-Request-Id of ${method} ${path} is used twice`).toBe(false)
    requestIds.add(requestId)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  /** A request to one of the two APIs with their envelope, with the credentials that its path asks for. */
  const call = async <Data = unknown>(
    method: string,
    path: string,
    sent: Sent = {},
  ): Promise<Enveloped<Data>> => {
    const credentials = path.startsWith('/api/sdk') ? organization : apiKey
    const headers = { ...credentials, ...sent.headers }
    const { text, ...answer } = await raw(method, path, { ...sent, headers })
    const envelope = JSON.parse(text)
    expectEnvelope(envelope, answer.status)
    return { ...answer, ...envelope }
  }

  const post = <Data = unknown>(path: string, json: unknown, headers?: Sent['headers']) =>
    call<Data>('POST', path, { json, headers })

  /** What a browser does where a person presses a button of a page. @returns where it is sent */
  const press = async (page: string, label: RegExp): Promise<string> => {
    const { text } = await raw('GET', page)
    const buttons = [...text.matchAll(/<button[^>]* name="(.*?)" value="(.*?)"[^>]*>(.*?)<\/button>/g)]
    const [, name = '', value = ''] = buttons.find((button) => label.test(button[3] ?? '')) ?? []
    const { status, headers } = await raw('POST', page, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams({ [name]: value })}`,
    })
    expect([302, 303]).toContain(status)
    return headers.get('location') ?? ''
  }

  return {
    emulator,
    url: server.url,
    raw,
    press,
    call,
    get: <Data = unknown>(path: string) => call<Data>('GET', path),
    post,
    patch: <Data = unknown>(path: string, json?: unknown) => call<Data>('PATCH', path, { json }),
    session: async (fields: object = {}) =>
      (await post<Session>('/api/v2/session', { workflow_id: 'wf_face', ...fields })).data,
  }
}

export type Service = Awaited<ReturnType<typeof listening>>

/** Section 2.1, for every answer that this suite sees. */
function expectEnvelope(envelope: unknown, status: number): void {
  const succeeded = status >= 200 && status <= 299
  expect(envelope).toEqual({
    success: succeeded,
    data: expect.toSatisfy((data) => typeof data === 'object'),
    error: succeeded
      ? null
      : expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
  })
}

/** A multipart form: bytes become a file, text a field. */
export function form(fields: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') made.set(name, value)
    else made.set(name, new Blob([value], { type: 'image/jpeg' }), `${name}.jpg`)
  return made
}

/** The first bytes of a JPEG; what else an image holds does not matter here. */
export const photo = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)

export const photoBase64 = Buffer.from(photo).toString('base64')

/** What arrived at a webhook destination. */
interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A webhook destination on this machine. It is closed when the test ends. */
export async function destination() {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body: Buffer.concat(chunks) })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, received }
}

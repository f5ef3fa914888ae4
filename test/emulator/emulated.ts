import type { Session, SessionCreateParams } from '../../src/contract/verification/sessions.ts'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator.ts'

/** The moment at which every emulator of these tests begins. */
export const start = new Date('2026-03-01T12:00:00.000Z')

export const origin = 'https://identity.example'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly success: boolean
  readonly data: unknown
  readonly error: unknown
}

interface Sent {
  readonly json?: unknown
  readonly form?: FormData
  readonly key?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export function requestOf(
  method: string,
  path: string,
  { json, form, key, headers, signal }: Sent = {},
): Request {
  const body = form ?? (json === undefined ? undefined : JSON.stringify(json))
  return new Request(origin + path, {
    method,
    headers: {
      'x-api-key': 'emulator_api_key',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  })
}

async function replyOf(response: Response): Promise<Reply> {
  const envelope = (await response.json()) as Omit<Reply, 'status' | 'headers'>
  return { status: response.status, headers: response.headers, ...envelope }
}

/** An emulator whose clock stands still, and raw calls to it: nothing of our clients takes part. */
export function emulated(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ seed: 'test', clock: () => start, ...options })
  const call = async (method: string, path: string, sent?: Sent) =>
    replyOf(await emulator.fetch(requestOf(method, path, sent)))
  return {
    emulator,
    call,
    post: (path: string, json: unknown, sent: Sent = {}) => call('POST', path, { json, ...sent }),
    session: async (params: SessionCreateParams = {}) => {
      const { data } = await call('POST', '/api/v2/session', {
        json: { workflow_id: 'wf_identity', ...params },
      })
      return data as Session
    },
    decide: (id: string, status: string) =>
      call('PATCH', `/api/v2/session/${id}/status`, { json: { status } }),
    statusOf: async (id: string) => ((await call('GET', `/api/v2/session/${id}`)).data as Session).status,
  }
}

/** A receiver of webhooks that takes the place of the network. */
export function receiver(
  answer: () => Response | Promise<Response> = () => new Response(null, { status: 200 }),
) {
  const received: Request[] = []
  const deliver: typeof globalThis.fetch = async (input, init) => {
    received.push(new Request(input, init))
    return answer()
  }
  return { received, deliver }
}

/** A form with a small file for each name. */
export function formOf(...names: string[]): FormData {
  const form = new FormData()
  for (const name of names) form.set(name, new Blob(['image']), `${name}.jpg`)
  return form
}

export type { Emulator }

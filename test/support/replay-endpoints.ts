import { onTestFinished } from 'vitest'
import type { Endpoint, Replay } from '../../src/contract/endpoint.ts'
import { anyObject, anything } from '../../src/contract/schema/schema.ts'
import { HttpClient } from '../../src/http/http-client.ts'
import type { VerificationClientOptions } from '../../src/index.ts'
import { type Timing, timing } from '../../src/runtime/timing.ts'
import { testTiming } from './timing.ts'
import type { Transport } from './transports.ts'

const write = {
  section: '4',
  method: 'POST',
  path: '/api/v2/thing',
  body: anyObject,
  response: anything,
} as const

/** One endpoint for each rule of replay, so that tests of the rules depend on no real endpoint. */
export const endpointByReplay = {
  safe: {
    operation: 'things.read',
    section: '4',
    method: 'GET',
    path: '/api/v2/thing',
    response: anything,
    replay: 'safe',
  },
  'with-key': { ...write, operation: 'things.check', replay: 'with-key', billable: true },
  'if-not-executed': { ...write, operation: 'things.create', replay: 'if-not-executed' },
  never: { ...write, operation: 'things.redeem', replay: 'never' },
} as const satisfies Readonly<Record<Replay, Endpoint>>

/** An HTTP client of these endpoints, on a manual clock. */
export function replayClient(options: VerificationClientOptions & Partial<Timing>) {
  const { timing: clock, ...controls } = testTiming()
  const http = new HttpClient({
    owner: 'HttpClient',
    options: Object.assign({ ...options }, { [timing]: clock }),
    baseUrlVariable: 'NONE',
    auth: () => authHeaders,
  })
  return {
    http,
    ...controls,
    send: (replay: Replay, request: Parameters<HttpClient['send']>[2] = {}) =>
      http.send(endpointByReplay[replay], replay === 'safe' ? {} : { body: { b: 1, a: 'x' } }, request),
  }
}

/** The same over a transport, closed when the test ends. */
export function replayClientOver(transport: Transport, baseUrl: string, options: object = {}) {
  const client = replayClient({ baseUrl, ...transport.options, ...options })
  onTestFinished(() => client.http.close())
  return client
}

const authHeaders = { headers: { 'x-api-key': 'key_test' }, secrets: ['key_test'] }

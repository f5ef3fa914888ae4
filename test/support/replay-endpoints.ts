import type { Endpoint, Replay } from '../../src/contract/endpoint.ts'
import { anyObject, anything } from '../../src/contract/schema/schema.ts'
import { HttpClient } from '../../src/http/http-client.ts'
import type { VerificationClientOptions } from '../../src/index.ts'
import { type Timing, timing } from '../../src/runtime/timing.ts'
import { testTiming } from './timing.ts'

/** One endpoint for each rule of replay, so that tests of the rules depend on no real endpoint. */
export const endpointByReplay: Readonly<Record<Replay, Endpoint>> = {
  safe: {
    operation: 'things.read',
    section: '4',
    method: 'GET',
    path: '/api/v2/thing',
    response: anything,
    replay: 'safe',
  } as const satisfies Endpoint,
  'with-key': {
    operation: 'things.check',
    section: '4',
    method: 'POST',
    path: '/api/v2/thing',
    body: anyObject,
    response: anything,
    replay: 'with-key',
    billable: true,
  } as const satisfies Endpoint,
  'if-not-executed': {
    operation: 'things.create',
    section: '4',
    method: 'POST',
    path: '/api/v2/thing',
    body: anyObject,
    response: anything,
    replay: 'if-not-executed',
  } as const satisfies Endpoint,
  never: {
    operation: 'things.redeem',
    section: '4',
    method: 'POST',
    path: '/api/v2/thing',
    body: anyObject,
    response: anything,
    replay: 'never',
  } as const satisfies Endpoint,
}

/** An HTTP client of these endpoints, on a manual clock. */
export function replayClient(options: VerificationClientOptions & Partial<Timing>) {
  const { timing: clock, ...controls } = testTiming()
  const http = new HttpClient({
    owner: 'HttpClient',
    options: { ...options, [timing]: clock },
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

const authHeaders = { headers: { 'x-api-key': 'key_test' }, secrets: ['key_test'] }

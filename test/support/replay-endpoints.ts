import { type Endpoint, endpoint, type Replay } from '../../src/contract/endpoint.ts'
import { anyObject, anything } from '../../src/contract/schema/fields.ts'
import { HttpClient } from '../../src/http/http-client.ts'
import { type Timing, timing } from '../../src/runtime/timing.ts'
import type { VerificationClientOptions } from '../../src/verification.ts'

/** An operation of each kind of replay, so that a rule of the pipeline is tested as such. */
export const operations: Readonly<Record<Replay, Endpoint>> = {
  safe: endpoint({
    operation: 'things.read',
    section: '4',
    method: 'GET',
    path: '/thing',
    response: anything,
    replay: 'safe',
  }),
  'with-key': endpoint({
    operation: 'things.check',
    section: '4',
    method: 'POST',
    path: '/thing',
    body: anyObject,
    response: anything,
    replay: 'with-key',
    billable: true,
  }),
  'if-not-executed': endpoint({
    operation: 'things.create',
    section: '4',
    method: 'POST',
    path: '/thing',
    body: anyObject,
    response: anything,
    replay: 'if-not-executed',
  }),
  never: endpoint({
    operation: 'things.redeem',
    section: '4',
    method: 'POST',
    path: '/thing',
    body: anyObject,
    response: anything,
    replay: 'never',
  }),
}

/** The pipeline alone, whose waits take no time. */
export function pipeline(options: VerificationClientOptions & Partial<Timing>) {
  const waits: number[] = []
  const clock: Partial<Timing> = {
    random: () => 1,
    sleep: async (ms) => {
      waits.push(ms)
    },
  }
  const http = new HttpClient({
    options: { ...options, [timing]: clock },
    baseUrlVariable: 'NONE',
    auth: () => grant,
  })
  return {
    waits,
    http,
    send: (replay: Replay, request: Parameters<HttpClient['send']>[2] = {}) =>
      http.send(operations[replay], replay === 'safe' ? {} : { body: { b: 1, a: 'x' } }, request),
  }
}

const grant = { headers: { 'x-api-key': 'key_test' }, secrets: ['key_test'] }

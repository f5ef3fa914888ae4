import type { Fault, ProxiedRequest } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import { oneOf } from './random-stream.ts'

/** The timeout of an attempt in these calls, in real time. */
export const attemptMs = 250

const page = (status: number) => ({ response: rawResponse(status, `<html>${status}</html>`) })

const rejection = (status: number, code: string, headers?: Record<string, string>) => ({
  response: rawResponse(
    status,
    { success: false, data: null, error: { code, message: `it is ${code}` } },
    { 'content-type': 'application/json', ...headers },
  ),
})

/** Faults of a network, a proxy or an overloaded service, by name. */
const networkFaults: Readonly<Record<string, Fault>> = {
  'reset after the request head': { at: 'request head' },
  'reset in the upload': { at: 'request body' },
  'stall in the upload': { at: 'request body', by: 'stall' },
  'reset before the execution': { at: 'request' },
  'close before the execution': { at: 'request', by: 'close' },
  'silence before the execution': { at: 'request', by: 'stall' },
  'reset after the execution': { at: 'request', forward: true },
  'close after the execution': { at: 'request', by: 'close', forward: true },
  'silence after the execution': { at: 'request', by: 'stall', forward: true },
  'reset in the response head': { at: 'response head' },
  'close in the response head': { at: 'response head', by: 'close' },
  'reset in the response body': { at: 'response body' },
  'close in the response body': { at: 'response body', by: 'close' },
  'stall in the response body': { at: 'response body', by: 'stall' },
  'trickling response body': { trickle: 'body' },
  'trickling response': { trickle: 'head' },
  'late response': { delayMs: 30 },
  'response after the timeout': { delayMs: attemptMs * 2 },
  'close after the response': { afterwards: 'close' },
  'reset after the response': { afterwards: 'reset' },
  'bytes that are not HTTP': { response: Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), afterwards: 'close' },
  'page 200': page(200),
  'truncated JSON with 200': { response: rawResponse(200, '{"success":true,"data":{') },
  redirect: { response: rawResponse(302, '', { location: 'https://elsewhere.example.test/' }) },
  'page 403': page(403),
  'page 404': page(404),
  'page 413': page(413),
  'page 502': page(502),
  'page 504': page(504),
  'page 503, retry-after 1': { response: rawResponse(503, 'busy', { 'retry-after': '1' }) },
  'page 503, retry-after 3600': { response: rawResponse(503, 'busy', { 'retry-after': '3600' }) },
  'error 408': rejection(408, 'request_timeout'),
  'error 429': rejection(429, 'rate_limited', { 'retry-after': '2' }),
  'error 500': rejection(500, 'internal_error'),
  'error 503': rejection(503, 'engine_unreachable'),
  'error 401': rejection(401, 'invalid_api_key'),
  'error 409, in progress': rejection(409, 'idempotency_in_progress', { 'retry-after': '1' }),
}

/** Errors that a service never returns for a request that it has executed under the same key. */
const definiteErrors: Readonly<Record<string, Fault>> = {
  'error 400': rejection(400, 'validation_error'),
  'error 402': rejection(402, 'payment_required'),
  'error 404': rejection(404, 'not_found'),
  'error 422': rejection(422, 'unprocessable'),
}

const names = new Map<Fault, string>()
for (const [name, fault] of Object.entries({ ...networkFaults, ...definiteErrors })) names.set(fault, name)

export const faultNames: readonly string[] = [...names.values()]

export const nameOf = (fault: Fault): string | undefined => names.get(fault)

/** True if the target never receives a request with this fault. */
const preventsExecution = ({ response, at, forward }: Fault) =>
  response !== undefined || (at?.startsWith('request') === true && forward !== true)

/** Returns the fault of an attempt. About two thirds of the attempts have none. */
export function randomFault(
  random: () => number,
  earlier: readonly Pick<ProxiedRequest, 'fault'>[],
): Fault | undefined {
  // A service that has rejected a request rejects it again. An abandoned attempt may arrive after the next one.
  const rejected = earlier.find(({ fault }) => Object.values(definiteErrors).includes(fault))
  if (rejected) return rejected.fault
  if (random() > 0.35) return undefined
  const neverExecuted = earlier.every(({ fault }) => preventsExecution(fault))
  return oneOf(Object.values(neverExecuted ? { ...networkFaults, ...definiteErrors } : networkFaults), random)
}

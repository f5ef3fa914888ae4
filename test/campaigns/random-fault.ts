import type { Fault, ProxiedRequest } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import { oneOf } from './chance.ts'

/** Longest wait for an attempt of these calls: what stalls costs this much of real time. */
export const attemptMs = 250

const page = (status: number) => ({ response: rawResponse(status, `<html>${status}</html>`) })

const refusal = (status: number, code: string, headers?: Record<string, string>) => ({
  response: rawResponse(
    status,
    { success: false, data: null, error: { code, message: `it is ${code}` } },
    { 'content-type': 'application/json', ...headers },
  ),
})

/** Everything that a network, a proxy or an overloaded service does, by name. */
const networkFaults: Readonly<Record<string, Fault>> = {
  'reset after the head': { at: 'request head' },
  'reset within the upload': { at: 'request body' },
  'upload stalled': { at: 'request body', by: 'stall' },
  'reset before the work': { at: 'request' },
  'closed before the work': { at: 'request', by: 'close' },
  'silence before the work': { at: 'request', by: 'stall' },
  'reset after the work': { at: 'request', forward: true },
  'closed after the work': { at: 'request', by: 'close', forward: true },
  'silence after the work': { at: 'request', by: 'stall', forward: true },
  'answer reset in its head': { at: 'answer head' },
  'answer closed in its head': { at: 'answer head', by: 'close' },
  'answer reset in its body': { at: 'answer body' },
  'answer closed in its body': { at: 'answer body', by: 'close' },
  'answer stalled in its body': { at: 'answer body', by: 'stall' },
  'answer trickled': { trickle: 'body' },
  'answer trickled from its head on': { trickle: 'head' },
  'answer late': { delayMs: 30 },
  'answer too late': { delayMs: attemptMs * 2 },
  'closed in the end': { afterwards: 'close' },
  'reset in the end': { afterwards: 'reset' },
  'nonsense instead of HTTP': { response: Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), afterwards: 'close' },
  'a page with 200': page(200),
  'half a JSON with 200': { response: rawResponse(200, '{"success":true,"data":{') },
  'a redirect': { response: rawResponse(302, '', { location: 'https://elsewhere.example.test/' }) },
  'page 403': page(403),
  'page 404': page(404),
  'page 413': page(413),
  'page 502': page(502),
  'page 504': page(504),
  'page 503, retry-after 1': { response: rawResponse(503, 'busy', { 'retry-after': '1' }) },
  'page 503, retry-after 3600': { response: rawResponse(503, 'busy', { 'retry-after': '3600' }) },
  'refused 408': refusal(408, 'request_timeout'),
  'refused 429': refusal(429, 'rate_limited', { 'retry-after': '2' }),
  'refused 500': refusal(500, 'internal_error'),
  'refused 503': refusal(503, 'engine_unreachable'),
  'refused 401': refusal(401, 'invalid_api_key'),
  'still at work': refusal(409, 'idempotency_in_progress', { 'retry-after': '1' }),
}

/** A service that did the work, and knows the key, does not say these of the same request any more. */
const verdicts: Readonly<Record<string, Fault>> = {
  'refused 400': refusal(400, 'validation_error'),
  'refused 402': refusal(402, 'payment_required'),
  'refused 404': refusal(404, 'not_found'),
  'refused 422': refusal(422, 'unprocessable'),
}

const names = new Map<Fault, string>()
for (const [name, fault] of Object.entries({ ...networkFaults, ...verdicts })) names.set(fault, name)

export const faultNames: readonly string[] = [...names.values()]

export const nameOf = (fault: Fault): string | undefined => names.get(fault)

/** Whether the target never gets a request that this befalls. */
const keepsBack = ({ response: answer, at, forward }: Fault) =>
  answer !== undefined || (at?.startsWith('request') === true && forward !== true)

/** What befalls an attempt: about a third of them something. */
export function randomFault(
  random: () => number,
  earlier: readonly Pick<ProxiedRequest, 'fault'>[],
): Fault | undefined {
  // An attempt that was given up may come in after the next one: a service that said no of a request says it again.
  const said = earlier.find(({ fault }) => Object.values(verdicts).includes(fault))
  if (said) return said.fault
  if (random() > 0.35) return undefined
  const neverWorked = earlier.every(({ fault }) => keepsBack(fault))
  return oneOf(Object.values(neverWorked ? { ...networkFaults, ...verdicts } : networkFaults), random)
}

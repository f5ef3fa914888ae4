import type { Endpoint } from '../../contract/endpoint.ts'
import { idempotencyHeader } from '../../contract/service.ts'
import { createSession } from '../../contract/verification/sessions.ts'
import type { KeyReservation } from '../state/idempotency-keys.ts'
import type { ServiceState } from '../state/service-state.ts'
import { interfaceOf } from './interface.ts'
import { parseRequest } from './params.ts'
import { type EmulatorRequest, fingerprint } from './request.ts'
import { type EmulatorResponse, successResponse } from './response.ts'

/** A request that was found valid. */
interface ValidRequest<Query, Body> {
  /** Path ids, decoded. */
  readonly ids: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** Where the service was reached, for the addresses that it gives out. */
  readonly origin: string
}

/** A declared endpoint and what the emulator does for it. */
export interface Operation {
  readonly endpoint: Endpoint
  readonly perform: (call: ValidRequest<unknown, unknown>) => unknown
  /** Of a success. */
  readonly status: number
}

/**
 * Serves a declared endpoint. The work is synchronous on purpose: between the look into the wallet and the
 * charge, no other request can come in.
 *
 * @param perform returns the payload, without the envelope; throws a {@link Refusal}
 */
export function serve<Query, Body, Response>(
  endpoint: Endpoint<Query, Body, Response>,
  perform: (call: ValidRequest<Query, Body>) => Response,
  { status = 200 }: { readonly status?: number } = {},
): Operation {
  return { endpoint, perform: perform as Operation['perform'], status }
}

/** One call, from the key to the charge. Throws what is refused. */
export async function handleOperation(
  state: ServiceState,
  operation: Operation,
  ids: Readonly<Record<string, string>>,
  arrival: EmulatorRequest,
): Promise<EmulatorResponse> {
  const { endpoint } = operation
  interfaceOf(endpoint).authenticate(state.settings, arrival.headers)
  const claim = await claimFor(state, endpoint, arrival)
  try {
    const strike = state.faults.take(endpoint, arrival.url.pathname)
    await strike.before(arrival.signal)
    const answer = claim.response ?? (await perform(state, operation, ids, arrival))
    claim.keep(answer)
    await strike.after(arrival.signal)
    return answer
  } finally {
    claim.release()
  }
}

const noClaim: KeyReservation = { response: undefined, keep: () => {}, release: () => {} }

/** Session creation has no documented key, and honours one that is sent: a guess, on the safe side. */
const takesKey = (endpoint: Endpoint) => endpoint.replay === 'with-key' || endpoint === createSession

async function claimFor(
  state: ServiceState,
  endpoint: Endpoint,
  arrival: EmulatorRequest,
): Promise<KeyReservation> {
  const key = arrival.headers.get(idempotencyHeader)
  if (!key || !takesKey(endpoint)) return noClaim
  return state.keys.reserve(key, await fingerprint(arrival))
}

async function perform(
  state: ServiceState,
  { endpoint, perform, status }: Operation,
  ids: Readonly<Record<string, string>>,
  arrival: EmulatorRequest,
): Promise<EmulatorResponse> {
  const { query, body } = await parseRequest(endpoint, arrival)
  if (endpoint.billable) state.wallet.requireFunds()
  const payload = perform({ ids, query, body, origin: arrival.baseUrl })
  if (endpoint.billable) charge(state, endpoint, arrival)
  return successResponse(endpoint.unwrap === undefined ? payload : { [endpoint.unwrap]: payload }, status)
}

function charge(state: ServiceState, { operation }: Endpoint, { headers, requestId }: EmulatorRequest): void {
  const key = headers.get(idempotencyHeader)
  const at = state.clock.now().toISOString()
  state.wallet.charge({ operation, requestId, at, ...(key ? { idempotencyKey: key } : {}) })
}

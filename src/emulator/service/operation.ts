import type { Endpoint } from '../../contract/endpoint.ts'
import { idempotencyHeader } from '../../contract/service.ts'
import { createSession } from '../../contract/verification/sessions.ts'
import type { KeyReservation } from '../model/idempotency-keys.ts'
import { type EmulatorRequest, fingerprint } from '../model/request.ts'
import { type EmulatorResponse, successResponse } from '../model/response.ts'
import type { ServiceState } from '../model/service-state.ts'
import { interfaceOf } from './interface.ts'
import { parseRequest } from './params.ts'

/** The validated content of a request. */
interface ValidRequest<Query, Body> {
  /** Ids from the path, decoded. */
  readonly ids: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The address of the service. Addresses in the response start with it. */
  readonly origin: string
}

/** A declared endpoint and its implementation in the emulator. */
export interface Operation {
  readonly endpoint: Endpoint
  readonly perform: (request: ValidRequest<unknown, unknown>) => unknown
  /** Body fields that count as missing if they are null. */
  readonly nullable: readonly string[]
}

/**
 * Implements a declared endpoint. `perform` is synchronous on purpose: no other request can run between the check of
 * the wallet and the charge.
 *
 * @param perform returns the payload without the envelope, or throws a `ServiceError`
 */
export function serve<Query, Body, Response>(
  endpoint: Endpoint<Query, Body, Response>,
  perform: (request: ValidRequest<Query, Body>) => Response,
  { nullable = [] }: Partial<Pick<Operation, 'nullable'>> = {},
): Operation {
  return { endpoint, perform: perform as Operation['perform'], nullable }
}

/**
 * Handles one request of an operation, from authentication to the charge. Throws a `ServiceError` if it is rejected.
 */
export async function handleOperation(
  state: ServiceState,
  operation: Operation,
  ids: Readonly<Record<string, string>>,
  request: EmulatorRequest,
): Promise<EmulatorResponse> {
  const { endpoint } = operation
  interfaceOf(endpoint).authenticate(state.settings, request.headers)
  const reservation = await reserveKey(state, endpoint, request)
  try {
    return await state.faults.around(endpoint, request, async () => {
      const response = reservation.response ?? (await perform(state, operation, ids, request))
      reservation.keep(response)
      return response
    })
  } finally {
    reservation.release()
  }
}

const noReservation: KeyReservation = { response: undefined, keep: () => {}, release: () => {} }

/**
 * Returns whether a key of this endpoint is honored. The contract documents no key for session creation. Honoring one
 * there is an assumption: it can prevent a duplicate session, and never creates one.
 */
const acceptsKey = (endpoint: Endpoint) => endpoint.replay === 'with-key' || endpoint === createSession

async function reserveKey(state: ServiceState, endpoint: Endpoint, request: EmulatorRequest): Promise<KeyReservation> {
  const key = request.headers.get(idempotencyHeader)
  if (!key || !acceptsKey(endpoint)) return noReservation
  return state.keys.reserve(key, await fingerprint(request))
}

async function perform(
  state: ServiceState,
  { endpoint, perform, nullable }: Operation,
  ids: Readonly<Record<string, string>>,
  request: EmulatorRequest,
): Promise<EmulatorResponse> {
  const { query, body } = await parseRequest(endpoint, request, nullable, state.settings.readings)
  if (endpoint.billable) state.wallet.requireFunds()
  const payload = perform({ ids, query, body, origin: request.baseUrl })
  if (endpoint.billable) charge(state, endpoint, request)
  const data = endpoint.unwrap === undefined ? payload : { [endpoint.unwrap]: payload }
  return successResponse(data, endpoint.successStatus)
}

function charge(state: ServiceState, { operation }: Endpoint, { headers, requestId }: EmulatorRequest): void {
  const key = headers.get(idempotencyHeader)
  const at = state.clock.now().toISOString()
  state.wallet.charge({ operation, requestId, at, ...(key ? { idempotencyKey: key } : {}) })
}

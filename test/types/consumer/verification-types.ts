// Programs that a user writes with the verification API: which ones compile, and which do not.
import {
  type AgeBand,
  type AnySdkError,
  type ApiPromise,
  assertPassed,
  type Check,
  type CheckFor,
  type CombinedResult,
  type DecidedDecision,
  type Decision,
  findCheck,
  type Id,
  type LivenessData,
  type OpenEnum,
  type RequestEvent,
  type Session,
  type SessionStatus,
  type StandaloneResult,
  unlistedFields,
  type VerificationClient,
  type WebhookEvent,
} from 'identity-service-sdk'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

declare const client: VerificationClient
declare const session: Session
declare const decision: Decision
declare const event: WebhookEvent
declare const userId: string

// Results list their fields.
export function results() {
  // @ts-expect-error a misspelled field
  const misspelled = decision.descision === 'APPROVED'
  // @ts-expect-error a misspelled field
  const { sesion_token } = session
  // @ts-expect-error a misspelled field
  const partial: Partial<LivenessData> = { live_scor: 1 }
  // @ts-expect-error an outcome is not a status
  const isReviewed = decision.decision === 'IN_REVIEW'
  const withoutToken: Omit<Session, 'session_token'> = session
  const url: string = withoutToken.url
  const reference: string | null | undefined = decision.vendor_data ?? session.vendor_data
  const { workflow_id, ...others }: Record<string, unknown> = unlistedFields(session)
  const kinds: Equal<
    Session['features'],
    OpenEnum<'id_verification' | 'liveness' | 'face_match' | 'age' | 'credential' | 'location'>[]
  > = true
  const sorted: Check[] = decision.checks.sort()
  return { misspelled, sesion_token, partial, isReviewed, url, reference, workflow_id, others, kinds, sorted }
}

// Ids of different kinds do not fit.
export async function ids() {
  await client.sessions.decision(event.session_id)
  await client.sessions.decision(session.session_id)
  const { session_id } = await client.checks.age({ dob: '1990-01-01', bands: [18] })
  await client.sessions.retrieve(session_id)
  await client.sessions.decision(userId)
  await client.sessions.decision('sess_1')
  // @ts-expect-error the id of an event is not the id of a session
  await client.sessions.decision(event.event_id)
  const plain: string = session.session_id
  const id: Id<'session'> = plain
  return id
}

// Every check has data.
export function checks(check: Check) {
  const liveness = findCheck(decision, 'liveness')
  const found: Equal<typeof liveness, CheckFor<'liveness'> | undefined> = true
  const score: number | null | undefined = liveness?.data.live_score
  // @ts-expect-error no such type of check
  findCheck(decision, 'livness')
  findCheck(event.decision ?? {}, 'age')
  switch (check.type) {
    case 'age':
      return check.data.bands
    case 'liveness':
      // @ts-expect-error a face match has a similarity, a liveness check has none
      return check.data.similarity
    default:
      return [found, score]
  }
}

// assertPassed narrows.
export function passed(result: StandaloneResult<'liveness'>, combined: CombinedResult) {
  assertPassed(result)
  const status: 'passed' = result.status
  assertPassed(combined)
  assertPassed(decision)
  const outcome: 'APPROVED' = decision.decision
  // @ts-expect-error a decision has the status of its session
  const progress: 'passed' = decision.status
  return [status, result.check.data.live_score, combined.identity?.name, outcome, progress]
}

// The bands of the result are those of the request.
export async function ages() {
  const { check } = await client.checks.age({ dob: '2001-05-17', bands: [18, '21+'] })
  const verified: boolean | null | undefined = check.data.bands?.['18']?.verified
  // @ts-expect-error this band was not requested
  const other = check.data.bands?.['30']
  return [verified, check.data.bands?.['21+']?.min_age, other]
}

// Bands that are not literals fit too.
export async function configuredAges(bands: readonly (string | number)[], band: AgeBand) {
  const { check } = await client.checks.age({ dob: '2001-05-17', bands: [...bands, band] })
  return check.data.bands?.['21+']?.verified
}

// A wait ends with an outcome, unless it also ends at a review.
export async function waits() {
  const decided = await client.sessions.waitForDecision('sess_1', { deadlineMs: 60_000 })
  const outcome: 'APPROVED' | 'DECLINED' = decided.decision
  const isDecided: Equal<typeof decided, DecidedDecision> = true
  const reviewed = await client.sessions.waitForDecision('sess_1', { until: 'IN_REVIEW' })
  // @ts-expect-error a review has no outcome yet
  const none: 'APPROVED' | 'DECLINED' = reviewed.decision
  return [outcome, isDecided, none]
}

interface Order {
  readonly number: number
}

// Inputs accept what users have, and nothing else.
export async function inputs(order: Order, limit: number | undefined) {
  await client.sessions.create({ metadata: order, vendor_data: process_env.USER, ttl_seconds: limit })
  await client.sessions.list({ status: 'IN_REVIEW', limit })
  // @ts-expect-error no such status
  await client.sessions.list({ status: 'IN_REVEIW' })
  const license = { license_type: 'Registered Nurse', license_number: 'RN-1' } as const
  await client.checks.credential({ ...license, license_state: 'CA' })
  await client.checks.credential({ ...license, license_state: 'CA', svc_access_token: process_env.TOKEN })
  await client.checks.credential({ ...license, license_state: 'CA', provider_code: process_env.BOARD })
  await client.checks.credential({ license_state: 'CA', license_number: '1', provider_code: 'CA-BRN' })
  // @ts-expect-error a name next to a token would be ignored
  await client.checks.credential({ ...license, license_state: 'CA', full_name: 'Ada', svc_access_token: 't' })
  // @ts-expect-error a first name requires the last name
  await client.checks.credential({ ...license, license_state: 'CA', first_name: 'Ada' })
  // @ts-expect-error a licence has a type or a provider
  await client.checks.credential({ license_state: 'CA', license_number: '1' })
  // @ts-expect-error `state` is an alias of the service
  await client.checks.credential({ ...license, state: 'CA' })
}

declare const process_env: { readonly [name: string]: string | undefined }

// Events of calls are a union.
export function onEvent(request: RequestEvent): string {
  switch (request.type) {
    case 'request':
      return request.callId
    case 'response':
      return `${request.status} ${request.durationMs}`
    case 'retry':
      return `${request.delayMs} ${request.error.message}`
    case 'error':
      return request.error.code
    default: {
      const never: never = request
      return never
    }
  }
}

// What a call returns is an interface.
export async function wrap<T>(call: ApiPromise<T>): Promise<[T, string | undefined]> {
  const { data, response } = await call.withResponse()
  return [data, response.requestId]
}

export const status: SessionStatus = 'A_NEW_STATUS'
export type Errors = AnySdkError

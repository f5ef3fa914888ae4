// Misspelled on purpose: cspell:ignore APROVED descision livness scor sesion

// Programs that a user writes with the verification API: which ones compile, and which do not.
import {
  type AgeBand,
  type AgeParams,
  type AnySdkError,
  assertPassed,
  type Check,
  type CheckFor,
  type CombinedResult,
  type DecidedDecision,
  type Decision,
  findCheck,
  type Id,
  type LivenessData,
  OidcClient,
  OrgClient,
  type RequestEvent,
  type RequestOptions,
  type Session,
  type SessionStatus,
  type SignWebhookParams,
  type StandaloneResult,
  signWebhook,
  type Unlisted,
  VerificationClient,
  type WaitOptions,
  type WebhookEvent,
} from 'identity-service-sdk'
import type { SignedWebhook } from 'identity-service-sdk/webhooks'

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
  const workflow_id: unknown = 'workflow_id' in session ? session.workflow_id : undefined
  const kinds: Equal<
    Session['features'],
    ('id_verification' | 'liveness' | 'face_match' | 'age' | 'credential' | 'location' | Unlisted)[]
  > = true
  const sorted: Check[] = decision.checks.sort()
  return { misspelled, sesion_token, partial, isReviewed, url, reference, workflow_id, kinds, sorted }
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

// Bands that are not literals fit too, and then any key may be in the result.
export async function numericAges(ages: number[], more: readonly number[]) {
  const result: StandaloneResult<'age'> = await client.checks.age({ dob: '2001-05-17', bands: ages })
  const check: Check = (await client.checks.age({ dob: '2001-05-17', bands: [...more, '21+'] })).check
  const { check: named } = await client.checks.age({ dob: '2001-05-17', bands: ages })
  const params: AgeParams = { dob: '2001-05-17', bands: ages }
  const again: StandaloneResult<'age'> = await client.checks.age(params)
  assertPassed(result)
  return [named.data.bands?.is_18_plus?.verified, named.data.bands?.['18']?.min_age, check.status, again.status]
}

export async function configuredAges(bands: readonly (string | number)[], band: AgeBand) {
  const { check } = await client.checks.age({ dob: '2001-05-17', bands: [...bands, band] })
  return check.data.bands?.['21+']?.verified
}

// A wait ends with an outcome, unless it also ends at a review.
export async function waits(maybe: boolean) {
  const decided = await client.sessions.waitForDecision('sess_1', { deadlineMs: 60_000 })
  const outcome: 'APPROVED' | 'DECLINED' = decided.decision
  const isDecided: Equal<typeof decided, DecidedDecision> = true
  const call: RequestOptions = {
    headers: { 'x-tenant': 'acme' },
    maxRetries: 0,
    idempotencyKey: 'k',
    timeoutMs: 500,
  }
  const again = await client.sessions.waitForDecision('sess_1', { ...call, until: undefined })
  const stillDecided: Equal<typeof again, DecidedDecision> = true
  const options: WaitOptions = { until: maybe ? 'IN_REVIEW' : undefined, onStatus: (one) => console.log(one) }
  const either: Decision = await client.sessions.waitForDecision('sess_1', options)
  const reviewed = await client.sessions.waitForDecision('sess_1', { until: 'IN_REVIEW' })
  // @ts-expect-error a review has no outcome yet
  const none: 'APPROVED' | 'DECLINED' = reviewed.decision
  return [outcome, isDecided, stillDecided, either, none]
}

interface Order {
  readonly number: number
}

// Inputs accept what users have, and nothing else.
export async function inputs(order: Order, limit: number | undefined) {
  await client.sessions.create({ metadata: order, vendor_data: process_env.USER, ttl_seconds: limit })
  await client.sessions.list({ status: 'IN_REVIEW', limit })
  const license = { license_type: 'Registered Nurse', license_number: 'RN-1' } as const
  await client.checks.credential({ ...license, license_state: 'CA' })
  await client.checks.credential({ ...license, license_state: 'CA', svc_access_token: process_env.TOKEN })
  await client.checks.credential({ ...license, license_state: 'CA', provider_code: process_env.BOARD })
  await client.checks.credential({ license_state: 'CA', license_number: '1', provider_code: 'CA-BRN' })
  // @ts-expect-error a name next to a token would be ignored
  await client.checks.credential({ ...license, license_state: 'CA', full_name: 'Ada', svc_access_token: 't' })
  // @ts-expect-error a first name requires the last name
  await client.checks.credential({ ...license, license_state: 'CA', first_name: 'Ada' })
  // @ts-expect-error a license has a type or a provider
  await client.checks.credential({ license_state: 'CA', license_number: '1' })
  // @ts-expect-error `state` is an alias of the service
  await client.checks.credential({ ...license, state: 'CA' })
  // @ts-expect-error the state of the license is required
  await client.checks.credential({ license_number: '1', license_type: 'RN' })
}

interface Report {
  readonly month: string
  readonly tags: readonly string[]
}

// Raw requests take what JSON and a query can say.
export async function raw(report: Report, from: Date, page: number | undefined, statuses: readonly string[]) {
  await client.request({ method: 'POST', path: '/api/v2/reports', body: report })
  await client.request({ method: 'PUT', path: '/api/v2/reports/1', body: [report] })
  const { total } = await client.request<{ readonly total: number }>({
    method: 'GET',
    path: '/api/v2/usage',
    query: { from, page, status: statuses, ids: [1, undefined, true] },
  })
  return total
}

// Headers of another request, or of optional values.
export async function headers(received: Headers, trace: string | undefined) {
  new VerificationClient({ headers: { 'x-trace': trace, 'x-team': process_env.TEAM } })
  new OidcClient({ headers: received })
  new OrgClient({ headers: new Headers({ 'x-team': 'a' }) })
  await client.sessions.retrieve('sess_1', { headers: received })
  await client.sessions.retrieve('sess_1', { headers: { 'x-trace': trace } })
}

// Fakes of generic methods are async functions.
export const fakeSignIn: Pick<OidcClient, 'createAuthorization'> = {
  createAuthorization: async () => ({
    url: '/',
    state: 's',
    nonce: 'n',
    codeVerifier: 'v',
    redirectUri: '/',
  }),
}

// A signed delivery has the body that was passed.
export async function signed(bytes: Uint8Array, params: SignWebhookParams) {
  const json: string = (await signWebhook({ event: { event_id: 'evt_1' }, secret: 's' })).body
  const sent: Uint8Array = (await signWebhook({ body: bytes, secret: 's' })).body
  const any: SignedWebhook = await signWebhook(params)
  return [json, sent, any]
}

declare const process_env: { readonly [name: string]: string | undefined }

// A hook reads any field of an event.
export function trace({ type, callId, status, requestId, error, durationMs }: RequestEvent): string {
  const failure = error?.code ?? (status !== undefined && status >= 400 ? String(status) : undefined)
  return [type, callId, requestId, failure, durationMs?.toFixed()].join(' ')
}

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

// @ts-expect-error a misspelled status
export const status: SessionStatus = 'APROVED'
export const again = client.sessions.list({ status: session.status })
export type Errors = AnySdkError

// What the contract does not confirm is apart, and its types claim nothing.
export async function experimental() {
  const workflow = await client.experimental.workflows.create({ name: 'Adults', features: ['age'] })
  // @ts-expect-error params are an object, not a list
  await client.experimental.workflows.create(['x'])
  // @ts-expect-error the same for an update
  await client.experimental.workflows.update(workflow.id, ['x'])
  const spoof = await client.experimental.antispoof.check({ image: new Uint8Array() })
  const open: Equal<typeof spoof, unknown> = true
  // @ts-expect-error the old place
  await client.workflows.list()
  // @ts-expect-error the old place
  await client.antispoof.check({ image: new Uint8Array() })
  // @ts-expect-error the old place
  await client.faceUniqueness.delete('uuid')
  return open
}

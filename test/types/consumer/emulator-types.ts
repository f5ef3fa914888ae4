// Misspelled on purpose: cspell:ignore amuont facematch licens livness opeartion pased similiarity

// Programs that a user writes with the emulator and the tests of stores: which ones compile, and which do not.
import {
  type CheckType,
  createWebhookHandler,
  type Id,
  memoryStore,
  type Session,
  type Store,
  VerificationClient,
  type WebhookEvent,
} from 'identity-service-sdk'
import type * as values from 'identity-service-sdk/emulator'
import {
  type CheckOutcome,
  type CheckOutcomes,
  createEmulator,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryFault,
  type Emulator,
  type EmulatorMember,
  type EmulatorOptions,
  type EmulatorServer,
  type EmulatorUser,
  type EmulatorWorkflow,
  type Fault,
  type FaultCode,
  type FaultMatch,
  type FaultOperation,
  type FaultRoute,
  type FaultTarget,
  type LedgerEntry,
  type License,
  type RecordedRequest,
  type ScriptedOutcome,
  type SessionEnd,
  type UnlistedCode,
} from 'identity-service-sdk/emulator'
import { type PostgresPool, postgresStore, postgresStoreSql } from 'identity-service-sdk/stores/postgres'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { type StoreCheck, type StoreTest, type StoreTestOptions, testStore } from 'identity-service-sdk/stores/testing'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

const emulator = createEmulator()

// Names that exist only as types are not values.
export const valuesOfTheEntry: Equal<keyof typeof values, 'createEmulator' | 'EmulatorError'> = true

// `fetch` has the params of the global one, and every function works on its own.
type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>
export const sameFetch: Equal<Emulator['fetch'], Fetch> = true
export const sameAt: Equal<ReturnType<Emulator['at']>, Fetch> = true
export const { fetch, at, reset } = emulator
export const asClientOption = new VerificationClient({
  ...emulator.options.verification,
  fetch: emulator.fetch,
})
export const asDelivery: EmulatorOptions = { webhooks: { deliver: emulator.at('https://app.example.com') } }
export const clock: () => Date = emulator.clock.now
export const responses: Promise<Response>[] = [
  fetch('https://id.example.com/api/v2/session'),
  fetch(new URL('https://id.example.com/api/v2/session'), { method: 'POST', body: '{}' }),
  fetch(new Request('https://id.example.com/api/v2/session'), { signal: null }),
  at('https://id.example.com')('https://id.example.com/api/v2/session'),
]
export const closing = ({ close }: EmulatorServer): Promise<void>[] => [close].map((stop) => stop())

// Results have the fields that they list, and nothing else. Their arrays can be changed.
export const requests: RecordedRequest[] = emulator.requests
export const ledger: LedgerEntry[] = emulator.ledger
export const deliveries: Delivery[] = emulator.webhooks.deliveries
export const attempts: DeliveryAttempt[] = deliveries.flatMap((delivery) => delivery.attempts)
export const events: WebhookEvent[] = deliveries.map(({ event }) => event)
export function misspelled(
  request: RecordedRequest,
  delivery: Delivery,
  attempt: DeliveryAttempt,
  entry: LedgerEntry,
): unknown[] {
  return [
    // @ts-expect-error the field is `operation`
    request.opeartion,
    // @ts-expect-error the field is `retryAt`
    delivery.retriedAt,
    // @ts-expect-error the request belongs to an attempt
    delivery.request,
    // @ts-expect-error the field is `responseBody`
    attempt.response_body,
    // @ts-expect-error the field is `amount`
    entry.amuont,
  ]
}

// A type of check that is not listed compiles.
export const ownFeature: EmulatorWorkflow = { id: 'wf_1', name: 'One', features: ['iris', 'liveness'] }
// @ts-expect-error the features of a workflow are required
export const withoutFeatures: EmulatorWorkflow = { id: 'wf_1', name: 'One' }
export const wrongOutcomes: CheckOutcomes = {
  // @ts-expect-error the status is `passed`
  liveness: 'pased',
}
// @ts-expect-error the type of check is `face_match`
emulator.checks.script('facematch', 'failed')
emulator.checks.script('face_match', {
  // @ts-expect-error the field is `similarity`
  data: { similiarity: 0.4 },
})
emulator.checks.script('liveness', {
  // @ts-expect-error the field belongs to `face_match`
  data: { similarity: 0.4 },
})
// @ts-expect-error the operation is `checks.age`
emulator.faults.add({ match: 'checks.ages', status: 503 })
// @ts-expect-error the path is `/api/v2/age-verification`
emulator.faults.add({ match: 'POST /api/v2/age-check', status: 503 })
// @ts-expect-error the session is read with GET
emulator.faults.add({ match: 'PUT /api/v2/session/sess_1', status: 503 })
// @ts-expect-error the operation is `checks.age`
emulator.faults.add({ match: { operation: 'checks.ages' }, status: 503 })
// @ts-expect-error the code is `license_not_found`
emulator.faults.add({ match: 'checks.credential', code: 'licens_not_found' })
// @ts-expect-error the code belongs to `checks.credential`
emulator.faults.add({ match: 'checks.age', code: 'license_not_found' })
// @ts-expect-error the code belongs to `sessions.updateStatus`
emulator.faults.add({ match: 'GET /api/v2/session', code: 'already_decided' })
// @ts-expect-error the operation accepts no Idempotency-Key
emulator.faults.add({ match: 'billing.retrieve', code: 'idempotency_in_progress' })
// @ts-expect-error the code belongs to the organization API
emulator.faults.add({ match: { operation: 'checks.age' }, code: 'unauthorized_client' })
emulator.faults.add({ match: 'checks.credential', code: 'license_not_found' })
emulator.faults.add({ match: 'checks.age', code: 'idempotency_in_progress' })
emulator.faults.add({ match: 'POST /api/v2/liveness', code: 'image_too_large' })
emulator.faults.add({ match: 'PATCH /api/v2/session/sess_1/status', code: 'already_decided' })
emulator.faults.add({ match: { operation: 'members.invite', method: 'post' }, code: 'deactivated' })
emulator.faults.add({ match: 'checks.age', code: { unlisted: 'license_not_found' } })
emulator.faults.add({ code: 'rate_limited' })
export const operation: FaultOperation = 'oidc.legacy.refresh'
export const route: FaultRoute = 'DELETE /api/sdk/members/{member_id}'
export const match: FaultMatch = { operation, method: 'GET', path: '/api/v2/session/sess_1/decision' }
export const targets: FaultTarget[] = [operation, route, match]
export const unlisted: UnlistedCode = { unlisted: 'code_of_tomorrow' }
export const codes: FaultCode<'members.resolve'>[] = ['missing_identifier', 'invalid_client', unlisted]
// @ts-expect-error the kind is `duplicate`
emulator.webhooks.faults.add({ kind: 'twice' })
export const wrongEnds: SessionEnd[] = [
  // @ts-expect-error a person cannot end a session as not started
  'NOT_STARTED',
]

// An id of another kind does not fit. Plain strings do.
export async function ids(session: Session, delivery: Delivery, id: string): Promise<void> {
  const eventId: Id<'event'> = delivery.id
  await emulator.webhooks.resend(eventId)
  await emulator.webhooks.resend(id)
  await emulator.sessions.complete(session.session_id, 'APPROVED')
  await emulator.sessions.complete(id, 'APPROVED')
  emulator.sessions.start(delivery.event.session_id)
  // @ts-expect-error the id of an event is not that of a session
  emulator.sessions.start(delivery.id)
  // @ts-expect-error the id of a session is not that of an event
  await emulator.webhooks.resend(session.session_id)
  // @ts-expect-error nor does it complete a session
  await emulator.sessions.complete(delivery.event.event_id, 'APPROVED')
}

// Optional inputs may be undefined, arrays of inputs may be readonly, and claims may be an interface.
interface Claims {
  email_verified: boolean
}
const env: Record<string, string | undefined> = {}
function maybe<T>(value: T): T | undefined {
  return value
}
const claims: Claims = { email_verified: true }
export const outcome: CheckOutcome<'liveness'> = {
  status: maybe('failed' as const),
  score: maybe(0.1),
  data: maybe({ live_score: maybe(0.1) }),
  error: maybe('not live'),
}
export const user: EmulatorUser = {
  sub: 'user_1',
  name: maybe('Ada'),
  email: maybe('ada@example.com'),
  claims,
}
export const member: EmulatorMember = { email: 'ada@example.com', svc_id: maybe('svc_1') }
export const license: License = {
  license_number: 'RN-1',
  license_state: 'CA',
  provider_code: 'EMU-CA-NURSING',
  license_type: 'Registered Nurse',
  holder: 'Ada Lovelace',
  status: maybe('active'),
  issued_at: undefined,
}
const features = ['liveness', 'age'] as const
export const workflow: EmulatorWorkflow = { id: 'wf_1', name: 'One', features }
const failures: readonly Fault[] = [{ match: maybe('checks.age'), status: maybe(503), times: maybe(2) }]
for (const fault of failures) emulator.faults.add(fault)
const webhookFault: DeliveryFault = { kind: 'late', ageSeconds: maybe(600), type: undefined }
emulator.webhooks.faults.add(webhookFault)
emulator.checks.script('age', 'failed', { times: maybe(1) })
emulator.sessions.start('sess_1', { checks: maybe({ liveness: maybe('passed' as const) }) })
export const signIn = emulator.signIn.approve('https://id.example.com', { user: maybe('user_1') })
export const options: EmulatorOptions = {
  workflows: maybe([workflow]),
  users: maybe([user]),
  members: maybe([member]),
  licenses: maybe([license]),
  outcomes: maybe({ liveness: maybe(outcome) }),
  webhooks: {
    secret: env.SVC_WEBHOOK_SECRET,
    destinations: maybe(['https://app.example.com'] as const),
  },
  apiKey: env.SVC_API_KEY,
}

/** A function of a test, for every type of check. */
export function fail<Type extends CheckType>(type: Type, scripted: ScriptedOutcome<Type>): void {
  emulator.checks.script(type, scripted, { times: 1 })
}

// The rules of stores: all at once, or each as a test.
export const everyRule: Promise<void> = (async () => testStore(() => memoryStore()))()
export async function rules(makeStore: () => Promise<Store>): Promise<void> {
  let time = 0
  const testOptions: StoreTestOptions = {
    advance: (ms) => {
      time += ms
    },
  }
  const test: StoreTest = testStore(() => memoryStore({ now: () => new Date(time) }), testOptions)
  const nothing = await test
  const returned: Equal<typeof nothing, void> = true
  const checks: StoreCheck[] = [...testStore(makeStore, { advance: undefined })]
  for (const { name, run } of checks) await run().then(() => console.log(name, returned))
}
// @ts-expect-error a function that makes the store is needed, not the store
testStore(memoryStore())
// @ts-expect-error a store has all operations
testStore(() => ({ get: async () => null }))

// A store is what has the operations: no class, no brand.
const wrapped: Store = { ...memoryStore({ now: undefined }), take: async () => null }
export const handler = createWebhookHandler({ secret: 'secret', store: wrapped, onTestEvent: () => {} })

// Clients of drivers fit by their methods.
export function stores(pool: PostgresPool): readonly Store[] {
  const nodeRedis = { isOpen: true, eval: async (script: string, _: { keys?: string[] } = {}) => script }
  const ioRedis = { status: 'ready', on: () => {}, eval: async (script: string, _: number) => script }
  console.log(postgresStoreSql('tokens'))
  return [redisStore(nodeRedis, { prefix: 'app:' }), redisStore(ioRedis), postgresStore(pool, { createTable: false })]
}

// Misspelled on purpose: cspell:ignore aproved livenes

// Programs that a user writes with a verification manager: which ones compile, and which do not.
import {
  type BasicVerificationManager,
  createEventProcessor,
  createVerificationManager,
  type EventConsumer,
  type Id,
  NotVerifiedError,
  type ReconcileItem,
  type ScannableStore,
  type Store,
  type Verification,
  type VerificationChange,
  type VerificationClient,
  type VerificationManager,
  type VerificationOf,
  type WebhookEvent,
} from 'identity-service-sdk'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

declare const client: VerificationClient
declare const store: Store
declare const scannable: ScannableStore
declare const verification: Verification
declare const verifications: VerificationManager
const session = { workflow_id: 'wf_1' }

// The state discriminates the union. Fields that a state lacks are null.
export function states() {
  const before: Equal<typeof verification.url, string | null> = true
  if (verification.state === 'open') {
    const open: Equal<
      [typeof verification.url, typeof verification.expiresAt, typeof verification.sessionId],
      [string, string, Id<'session'>]
    > = true
    return [before, open]
  }
  const link: null = verification.url
  if (verification.state === 'none') {
    const none: Equal<[typeof verification.sessionId, typeof verification.updatedAt], [null, null]> = true
    return [before, none, link]
  }
  const updatedAt: string = verification.updatedAt
  if (verification.state === 'approved' || verification.state === 'declined') {
    const decidedAt: Equal<typeof verification.decidedAt, string | null> = true
    return [before, decidedAt, updatedAt]
  }
  const undecided: null = verification.decidedAt
  // @ts-expect-error a state that does not exist
  const misspelled = verification.state === 'aproved'
  return [before, undecided, misspelled]
}

// Without `scan`, reconcile needs the subjects.
export async function reconciling() {
  const scanning = createVerificationManager({ client, store: scannable, session })
  const naming = createVerificationManager({ client, store, session })
  await scanning.reconcile()
  await scanning.reconcile({ subjects: ['ada'] })
  await naming.reconcile({ subjects: new Set(['ada']), olderThanMs: 0 })
  // @ts-expect-error the store may have no scan
  await naming.reconcile()
  // @ts-expect-error the store may have no scan
  await naming.reconcile({ olderThanMs: 0 })
  // @ts-expect-error the other manager can list everyone
  const all: VerificationManager = naming
  // A manager that lists everyone does what the other one does.
  const some: BasicVerificationManager = scanning
  const either = createVerificationManager({
    client,
    store: Math.random() > 0.5 ? scannable : store,
    session,
  })
  // @ts-expect-error one of the stores may have no scan
  await either.reconcile()
  // @ts-expect-error a string would be read character by character
  await scanning.reconcile({ subjects: 'ada' })
  for await (const item of scanning.reconcile()) {
    const items: Equal<typeof item, ReconcileItem> = true
    // @ts-expect-error a failure has no change
    const change: VerificationChange = item.change
    return [items, change, all, some]
  }
  const { visited, changed, failed }: { visited: number; changed: number; failed: number } = await scanning.reconcile()
  return [visited, changed, failed]
}

// The type of the subject comes from the functions that take one, or is named.
type UserId = `user-${number}`

export async function subjects() {
  const inferred = createVerificationManager({ client, store: scannable, session: (_: UserId) => session })
  const named = createVerificationManager<UserId>({
    client,
    store: scannable,
    session,
    onChange: ({ subject }) => {
      const id: UserId = subject
      return id
    },
  })
  const id: UserId = (await inferred.start('user-1')).subject
  // @ts-expect-error not the id of a user
  await named.get('ada')
  // @ts-expect-error not the ids of users
  await named.reconcile({ subjects: ['ada'] })
  const managers: readonly VerificationManager<UserId>[] = [inferred, named]
  return [id, managers]
}

// Every method that sends a request takes the options of a call.
export async function requestOptions(event: WebhookEvent) {
  const options = { timeoutMs: 1_000, maxRetries: 0, deadlineMs: 5_000 }
  await verifications.refresh('ada', options)
  await verifications.handle(event, options)
  await verifications.review('ada', { sessionId: 'sess_1', status: 'APPROVED', by: 'a', reason: 'b' }, options)
  await verifications.reconcile({ olderThanMs: 0, ...options })
  // @ts-expect-error a misspelled option
  await verifications.refresh('ada', { timeoutMS: 1_000 })
}

// A manager is an event consumer.
export function consuming() {
  const consumer: EventConsumer = verifications
  return [createEventProcessor({ consumers: [verifications] }), consumer]
}

export async function calls() {
  const approved: Equal<Awaited<ReturnType<typeof verifications.ensureApproved>>, VerificationOf<'approved'>> = true
  await verifications.start('ada', { ttl_seconds: 600 }, { renew: 'always', deadlineMs: 5_000 })
  // @ts-expect-error vendor_data is always the subject
  await verifications.start('ada', { vendor_data: 'bo' })
  // @ts-expect-error an invalid choice
  await verifications.start('ada', {}, { renew: 'sometimes' })
  // @ts-expect-error by and reason are required
  await verifications.review('ada', { sessionId: 'sess_1', status: 'APPROVED' })
  // @ts-expect-error the session that the reviewer saw is required
  await verifications.review('ada', { status: 'APPROVED', by: 'agent-7', reason: 'The photo was altered' })
  await verifications.ensureApproved('ada', { checks: ['iris', 'liveness'] })
  return approved
}

export function options() {
  createVerificationManager({ client, store, session, limit: false, startLeaseMs: undefined })
  // @ts-expect-error vendor_data is always the subject
  createVerificationManager({ client, store, session: { workflow_id: 'wf_1', vendor_data: 'ada' } })
  // @ts-expect-error a session is required
  createVerificationManager({ client, store })
  // @ts-expect-error a misspelled option
  createVerificationManager({ client, store, session, onchange: () => {} })
}

export function facts(error: unknown) {
  const reason: 'too_old' | undefined =
    error instanceof NotVerifiedError && error.reason === 'too_old' ? error.reason : undefined
  return reason
}

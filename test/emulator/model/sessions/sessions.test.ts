import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../../src/emulator.ts'
import {
  type AgeParams,
  isSdkError,
  type LocationParams,
  type VerificationClient,
  verifyWebhook,
  type WebhookEvent,
} from '../../../../src/index.ts'
import { commandsOn, manyOf } from '../../../support/model-command.ts'
import { testClient } from '../../../support/verification-client.ts'
import { callback } from '../../support/webhook-receivers.ts'

type Faces = 'passed' | 'failed' | 'review'

/** What sections 2.2, 2.4 and 3.1 say about one session. */
interface Known {
  status: string
  readonly vendorData: string
  readonly hasCallback: boolean
  /** The results of the checks that an approval requires, or `undefined` if the model cannot know them. */
  faces: Faces | undefined
  /** The types of the events of section 6, in order. */
  readonly events: string[]
}

interface Call {
  readonly body: string
  /** The id of the result. `undefined` if the call was rejected. */
  readonly resultId: string | undefined
}

class ServiceModel {
  readonly sessions = new Map<string, Known>()
  /** The billed calls under each idempotency key. */
  readonly calls = new Map<string, Call>()
  charges = 0

  readonly balance: number

  constructor(balance: number) {
    this.balance = balance
  }

  nth(index: number): [id: string, session: Known | undefined] {
    const all = [...this.sessions]
    return all[index % all.length] ?? ['sess_unknown', undefined]
  }

  move(session: Known, status: string) {
    session.status = status
    // Section 6: a terminal or review outcome is announced at the callback.
    if (session.hasCallback) session.events.push(`verification.${status.toLowerCase()}`)
  }
}

interface Real {
  readonly client: VerificationClient
  readonly emulator: Emulator
  readonly received: readonly WebhookEvent[]
}

const command = commandsOn<ServiceModel, Real>()
const features = ['id_verification', 'liveness', 'face_match']
const open = ['NOT_STARTED', 'IN_PROGRESS', 'IN_REVIEW']
const decided = ['APPROVED', 'DECLINED']

/** Results in which one check differs. */
const checksOf = (faces: Faces) => ({ id_verification: 'passed', liveness: 'passed', face_match: faces }) as const

/** Fails unless a call is rejected with this status and code. */
const rejects = async (call: PromiseLike<unknown>, status: number, code: string | RegExp) => {
  const error = await Promise.resolve(call).then(
    () => expect.fail(`the call succeeded instead of ${code}`),
    (thrown: unknown) => thrown,
  )
  expect(isSdkError(error), String(error)).toBe(true)
  expect(error).toMatchObject({ status, code: typeof code === 'string' ? code : expect.stringMatching(code) })
  return error
}

const index = fc.nat()
const vendorData = fc.constantFrom('user-1', 'user-2', 'Zoë')
const faces = fc.constantFrom<Faces>('passed', 'failed', 'review')

const sessionCommands = [
  command(
    'sessions.create',
    { vendor_data: vendorData, hasCallback: fc.boolean() },
    async (model, { client }, { vendor_data, hasCallback }) => {
      const session = await client.sessions.create({
        workflow_id: 'wf_1',
        vendor_data,
        ...(hasCallback && { callback }),
      })
      // Section 3.1: a new session is NOT_STARTED.
      expect(session).toMatchObject({ status: 'NOT_STARTED', features })
      expect(session.url).toContain('/s/')
      expect(Date.parse(session.expires_at)).not.toBeNaN()
      expect(model.sessions.has(session.session_id)).toBe(false)
      model.sessions.set(session.session_id, {
        status: 'NOT_STARTED',
        vendorData: vendor_data,
        hasCallback,
        faces: undefined,
        events: [],
      })
    },
  ),
  command('sessions.create with another callback', {}, async (_, { client }) => {
    // Section 2.2.
    const create = client.sessions.create({ workflow_id: 'wf_1', callback: 'https://other.example/hook' })
    await rejects(create, 422, 'callback_not_allowed')
  }),
  command('sessions.create with an unknown workflow', {}, async (_, { client }) => {
    // Section 4.2.
    await rejects(client.sessions.create({ workflow_id: 'wf_unknown' }), 404, 'workflow_not_found')
  }),
  command('sessions.retrieve', { index }, async (model, { client }, { index }) => {
    const [id, session] = model.nth(index)
    if (session === undefined) await rejects(client.sessions.retrieve(id), 404, 'not_found')
    else expect(await client.sessions.retrieve(id)).toMatchObject({ session_id: id, status: session.status })
  }),
  command(
    'sessions.list',
    {
      status: fc.option(fc.constantFrom(...open, ...decided), { nil: undefined }),
      vendor_data: fc.option(vendorData, { nil: undefined }),
      limit: fc.constantFrom(1, 50),
    },
    async (model, { client }, { status, vendor_data, limit }) => {
      const list = await client.sessions.list({ status: status as 'APPROVED', vendor_data, limit })
      const matching = [...model.sessions]
        .filter(([, known]) => status === undefined || known.status === status)
        .filter(([, known]) => vendor_data === undefined || known.vendorData === vendor_data)
        .map(([id]) => id)
      const listed = list.map(({ session_id }) => session_id)
      // Which of them are listed first is not shown.
      expect(listed).toHaveLength(Math.min(limit, matching.length))
      expect(new Set(listed).size).toBe(listed.length)
      for (const id of listed) expect(matching).toContain(id)
    },
  ),
  command('sessions.decision', { index }, async (model, { client }, { index }) => {
    const [id, session] = model.nth(index)
    if (session === undefined) return void (await rejects(client.sessions.decision(id), 404, 'not_found'))
    const decision = await client.sessions.decision(id).catch((thrown: unknown) => thrown)
    // Section 2.4 shows the decision of a decided session, and of one in review. What is returned before is not shown.
    if (decided.includes(session.status)) {
      expect(decision).toMatchObject({ status: session.status, decision: session.status })
      const { decided_at, checks } = decision as { decided_at: string; checks: { type: string }[] }
      expect(Date.parse(decided_at)).not.toBeNaN()
      expect(checks.map(({ type }) => type)).toEqual(features)
    } else if (session.status === 'IN_REVIEW') expect(decision).toMatchObject({ status: 'IN_REVIEW' })
    if (!decided.includes(session.status)) expect(decided).not.toContain(Object(decision).decision)
  }),
  command(
    'sessions.updateStatus',
    { index, status: fc.constantFrom('APPROVED', 'DECLINED') },
    async (model, { client }, { index, status }) => {
      const [id, session] = model.nth(index)
      const update = client.sessions.updateStatus(id, { status })
      if (session === undefined) await rejects(update, 404, 'not_found')
      else if (decided.includes(session.status)) {
        // Section 4.1: the error has the current status.
        const error = await rejects(update, 409, 'already_decided')
        expect(error).toMatchObject({ details: { status: session.status } })
      }
      // Section 3.1.
      else if (session.status === 'EXPIRED') await rejects(update, 410, 'session_expired')
      else if (session.status === 'ABANDONED') await rejects(update, 409, 'session_closed')
      else if (status === 'APPROVED' && session.faces !== 'passed')
        await rejects(update, 409, 'required_face_checks_incomplete')
      else {
        expect(await update).toMatchObject({ session_id: id, status })
        model.move(session, status)
      }
    },
  ),
  command('the person starts', { index, faces }, async (model, { emulator }, { index, faces }) => {
    const [id, session] = model.nth(index)
    if (session?.status !== 'NOT_STARTED') return
    emulator.sessions.start(id, { checks: checksOf(faces) })
    session.status = 'IN_PROGRESS'
    session.faces = faces
  }),
  command(
    'the session ends',
    { index, status: fc.constantFrom('APPROVED', 'DECLINED', 'IN_REVIEW', 'ABANDONED', 'EXPIRED'), faces },
    async (model, { emulator }, { index, status, faces }) => {
      const [id, session] = model.nth(index)
      // From which other states a session ends is not shown.
      if (session?.status !== 'NOT_STARTED' && session?.status !== 'IN_PROGRESS') return
      const given = status === 'IN_REVIEW' ? { checks: checksOf(faces) } : {}
      await emulator.sessions.complete(id, status, given)
      if (status === 'IN_REVIEW') session.faces = faces
      model.move(session, status)
    },
  ),
  command('webhooks', {}, async (model, { emulator, received }) => {
    await emulator.webhooks.settled()
    const ids = received.map(({ event_id }) => event_id)
    // Section 6: each event has a unique id.
    expect(new Set(ids).size).toBe(ids.length)
    for (const [id, session] of model.sessions) {
      const events = received.filter(({ session_id }) => session_id === id)
      expect(events.map(({ type }) => type)).toEqual(session.events)
      for (const { type, status, vendor_data } of events)
        expect([type, vendor_data]).toEqual([`verification.${status?.toLowerCase()}`, session.vendorData])
    }
    expect(emulator.webhooks.deliveries).toHaveLength(ids.length)
  }),
]

const from = { latitude: 1, longitude: 2 }
const here = { expected_latitude: 1, expected_longitude: 2 }
const elsewhere = { expected_latitude: 3, expected_longitude: 2 }
const calls = fc.constantFrom<{ age?: AgeParams; location?: LocationParams; status: string }>(
  // Section 4.3: passed only if every band is verified.
  { age: { dob: '1990-04-12', bands: [18] }, status: 'passed' },
  { age: { dob: '1990-04-12', bands: [18, 90] }, status: 'failed' },
  // Section 4.3, the rules of location.
  { location: { ...from, ...here, radius_m: 10 }, status: 'passed' },
  { location: { ...from, ...elsewhere, radius_m: 10 }, status: 'failed' },
  { location: { ...from, ...elsewhere }, status: 'passed' },
  { location: from, status: 'passed' },
)

const walletCommands = [
  command(
    'check',
    { check: calls, key: fc.option(fc.constantFrom('key-1', 'key-2', 'key-3'), { nil: undefined }) },
    async (model, { client }, { check, key }) => {
      const body = JSON.stringify(check)
      const earlier = key === undefined ? undefined : model.calls.get(key)
      const sent = check.age
        ? client.checks.age(check.age, { idempotencyKey: key })
        : client.checks.location(check.location ?? from, { idempotencyKey: key })
      // Sections 7 and 8. Whether a key is remembered after 402 is not shown.
      if (earlier && earlier.body !== body) {
        if (earlier.resultId !== undefined) await rejects(sent, 422, 'idempotency_key_reused')
        else expect([402, 422]).toContain(Object(await sent.catch((thrown: unknown) => thrown)).status)
        return
      }
      if (earlier?.resultId !== undefined) {
        // That a retry gets the same result, and is charged once, is what a key is for.
        expect((await sent).session_id).toBe(earlier.resultId)
        return
      }
      const isPaid = model.charges < model.balance
      if (isPaid) {
        const { session_id, status, check: result } = await sent
        expect([status, result.status]).toEqual([check.status, check.status])
        model.charges++
        if (key !== undefined) model.calls.set(key, { body, resultId: session_id })
      } else {
        // Section 8: an exhausted balance returns 402. Its code is not shown.
        await rejects(sent, 402, /./)
        if (key !== undefined) model.calls.set(key, { body, resultId: undefined })
      }
    },
  ),
  command('the ledger', {}, async (model, { emulator }) => {
    expect(emulator.ledger).toHaveLength(model.charges)
    const balances = emulator.ledger.map(({ balance }) => balance)
    expect(balances).toEqual(balances.map((_, i) => model.balance - i - 1))
  }),
]

it('sessions, their webhooks, billed calls and the wallet do what the contract says, in any order of requests', async () => {
  await fc.assert(
    fc.asyncProperty(manyOf([...sessionCommands, ...walletCommands], 80), fc.nat(8), async (commands, balance) => {
      const received: WebhookEvent[] = []
      const secret = 'whsec_model'
      const now = () => emulator.clock.now()
      const deliver: typeof fetch = async (input, init) => {
        const request = new Request(input, init)
        received.push(await verifyWebhook({ body: await request.text(), headers: request.headers, secret, now }))
        return new Response(null, { status: 200 })
      }
      const emulator = createEmulator({
        workflows: [{ id: 'wf_1', name: 'Identity', features: features as 'liveness'[] }],
        wallet: { balance, pricePerCall: 1 },
        webhooks: { secret, deliver },
      })
      const { client } = testClient({ ...emulator.options.verification, maxRetries: 0 })
      const real = { client, emulator, received }
      await fc.asyncModelRun(() => ({ model: new ServiceModel(balance), real }), commands)
    }),
    { numRuns: 40 },
  )
})

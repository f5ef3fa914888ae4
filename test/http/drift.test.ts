import { expect, it } from 'vitest'
import { createDriftRecorder, type DriftReport, memoryStore, StoreError } from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { withCanaries } from '../support/canaries.ts'
import { countingStore } from '../support/counting-store.ts'
import { aDecision, aSession, idCheck } from '../support/fixtures.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import { operations } from '../support/operations.ts'
import { testOrg } from '../support/org-client.ts'
import { printed } from '../support/printed.ts'
import { aMember } from '../support/roster-operations.ts'
import { respond, scriptedFetch } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testTiming } from '../support/timing.ts'
import { testClient } from '../support/verification-client.ts'

const at = '2026-01-01T00:00:00.000Z'
const now = () => new Date(at)
const once = { count: 1, firstSeenAt: at, lastSeenAt: at }

const success = (data: unknown) => respond(200, { success: true, data, error: null })

/** The report of one response to a call. */
async function reportOf(
  step: ReturnType<typeof respond>,
  call: (client: ReturnType<typeof testClient>['client']) => PromiseLike<unknown>,
): Promise<DriftReport> {
  const drift = createDriftRecorder({ now })
  const { fetch } = scriptedFetch(step)
  await Promise.resolve(call(testClient({ fetch, maxRetries: 0, onDrift: drift.record }).client)).catch(
    () => {},
  )
  return drift.report()
}

it('a documented response of every operation has no drift', async () => {
  const drift = createDriftRecorder()
  for (const { call, data } of operations) {
    const { fetch } = scriptedFetch(success(data))
    await call(testClient({ fetch, onDrift: drift.record }).client)
  }
  expect(await drift.report()).toEqual({ operations: {} })
})

it('records unknown fields by path and JSON type, at any depth', async () => {
  const session = { ...aSession(), color: 'red', tags: ['a'], extra: { deep: 1 } }

  const report = await reportOf(success(session), (client) => client.sessions.retrieve('sess_1'))

  expect(report.operations['sessions.retrieve']).toEqual({
    fields: {
      color: { ...once, types: ['string'] },
      tags: { ...once, types: ['array'] },
      extra: { ...once, types: ['object'] },
    },
  })
})

it('records fields of the data of a check by its type', async () => {
  const { data, ...check } = idCheck({ engine: 'v7' })
  const decision = { ...aDecision(), checks: Array(2).fill({ ...check, data: { ...data, chip_read: true } }) }

  const report = await reportOf(success(decision), (client) => client.sessions.decision('sess_1'))

  expect(report.operations['sessions.decision']?.fields).toEqual({
    'checks.*.engine': { ...once, count: 2, types: ['string'] },
    'checks.*.data.chip_read': { ...once, count: 2, types: ['boolean'] },
  })
})

it('records that a field has a value that the contract does not list, and not the value', async () => {
  const session = { ...aSession(), status: 'FROZEN', features: ['liveness', 'iris', 'gait'] }

  const report = await reportOf(success(session), (client) => client.sessions.retrieve('sess_1'))

  expect(report.operations).toEqual({
    'sessions.retrieve': { values: { status: once, features: { ...once, count: 2 } } },
  })
})

it('records documented fields of another type, and those that are missing', async () => {
  const { url: _, ...session } = { ...aSession(), expires_at: 1_767_225_600 }

  const report = await reportOf(success(session), (client) => client.sessions.create({ workflow_id: 'wf_1' }))

  expect(report.operations['sessions.create']?.types).toMatchObject({ url: { ...once, types: ['missing'] } })
})

it('records codes that the contract does not list for the operation, and statuses that it does not list', async () => {
  const error = respond(418, { success: false, data: null, error: { code: 'wallet_frozen', message: 'no' } })

  const report = await reportOf(error, (client) => client.sessions.retrieve('sess_1'))

  expect(report.operations['sessions.retrieve']).toEqual({
    codes: { wallet_frozen: once },
    statuses: { 418: once },
  })
})

it('a documented error and a page of a proxy are no drift', async () => {
  const documented = respond(404, { success: false, data: null, error: { code: 'not_found', message: 'no' } })

  expect(await reportOf(documented, (client) => client.sessions.retrieve('sess_1'))).toEqual({
    operations: {},
  })
  expect(await reportOf(respond(502, '<html>'), (client) => client.sessions.retrieve('sess_1'))).toEqual({
    operations: {},
  })
})

it('names of members of open maps and what does not look like the name of a field are not kept', async () => {
  const session = {
    ...aSession(),
    metadata: { 'ada@example.test': 1, secret_project: 2 },
    'ada@example.test': 1,
    user_4711_0815: 1,
    'Ada Lovelace': 1,
    ['x'.repeat(60)]: 1,
  }

  const report = await reportOf(success(session), (client) => client.sessions.retrieve('sess_1'))

  expect(report.operations).toEqual({
    'sessions.retrieve': {
      fields: {
        metadata: { ...once, types: ['object'] },
        '*': { ...once, count: 4, types: ['number'] },
      },
    },
  })
})

it('no value of any response is in the report, in records or in events', async () => {
  const drift = createDriftRecorder({ now })
  const { records, options } = hookRecorder()
  for (const { call, data } of operations) {
    const { fetch } = scriptedFetch(success(withCanaries(data)))
    const { client } = testClient({ fetch, onDrift: drift.record, errorDetail: 'safe', ...options })
    await Promise.resolve(call(client)).catch(() => {})
  }

  const report = await drift.report()

  expect(Object.keys(report.operations).length).toBeGreaterThan(10)
  expect(printed(report, ...records)).not.toMatch(/canary|47110815/i)
})

it('members of an organization and errors of its API are compared too', async () => {
  const drift = createDriftRecorder({ now })
  const member = aMember({ role: 'auditor', badge: 'x' })
  const { fetch } = scriptedFetch(success({ members: [member], organization: { id: 1, name: 'Acme' } }))
  await testOrg({ fetch, onDrift: drift.record }).org.members.list()

  expect((await drift.report()).operations['members.list']).toEqual({
    fields: { 'members.*.badge': { ...once, types: ['string'] } },
    values: { 'members.*.role': once },
  })
})

it('a hostile service cannot make the report grow without limit', async () => {
  const names = Array.from({ length: 5_000 }, (_, i) => `f${i % 100}x${Math.floor(i / 100)}`)
  const session = { ...aSession(), ...Object.fromEntries(names.map((name) => [name, 1])) }

  const report = await reportOf(success(session), (client) => client.sessions.retrieve('sess_1'))

  const fields = report.operations['sessions.retrieve']?.fields ?? {}
  expect(Object.keys(fields)).toHaveLength(101)
  expect(Object.values(fields).reduce((sum, { count }) => sum + count, 0)).toBe(5_000)
})

/** A response with one unknown field. */
const unknown = (name: string) => success({ ...aSession(), [name]: 1 })

function recorderOn(store: Parameters<typeof createDriftRecorder>[0] extends infer O ? O : never) {
  const { timing: clock, ...controls } = testTiming({})
  const drift = createDriftRecorder({ now, ...store, [timing]: clock } as typeof store)
  const receive = async (name: string) => {
    const { fetch } = scriptedFetch(unknown(name))
    await testClient({ fetch, onDrift: drift.record }).client.sessions.retrieve('sess_1')
  }
  return { drift, receive, ...controls }
}

it('adds up what all processes record that share a store', async () => {
  const store = memoryStore()
  const [one, other] = [recorderOn({ store }), recorderOn({ store })]
  await Promise.all([one.receive('color'), other.receive('color'), other.receive('shape')])

  await one.drift.flush()

  expect((await other.drift.report()).operations['sessions.retrieve']?.fields).toEqual({
    color: { ...once, count: 2, types: ['number'] },
    shape: { ...once, types: ['number'] },
  })
})

it('writes at most once a minute, and only if something is new', async () => {
  const { store, operations: done } = countingStore(memoryStore())
  const writes = () => done.filter((name) => name !== 'get')
  const { receive, advance } = recorderOn({ store })
  await receive('color')
  await receive('color')
  await receive('shape')
  expect(writes()).toEqual(['set'])

  await advance(60_000)
  await receive('color')
  await advance(0)

  expect(writes()).toEqual(['set', 'compareAndSet'])
})

it('a store that fails loses nothing, and its failure is logged', async () => {
  const store = memoryStore()
  let isDown = true
  const failing = {
    ...store,
    get: async (key: string) => {
      if (isDown) throw new Error('down')
      return store.get(key)
    },
  }
  const { records, options } = hookRecorder()
  const { drift, receive } = recorderOn({ store: failing, logger: options.logger })
  await receive('color')
  expect(await thrownBy(drift.report())).toBeInstanceOf(StoreError)

  isDown = false
  const report = await drift.report()

  expect(report.operations['sessions.retrieve']?.fields?.color?.count).toBe(1)
  expect(printed(...records)).toContain('writing the drift report failed')
})

it('a hook that throws has no effect on the call', async () => {
  const { fetch } = scriptedFetch(success(aSession()))
  const { records, options } = hookRecorder()
  const onDrift = () => {
    throw new Error('broken')
  }

  const session = await testClient({ fetch, ...options, onDrift }).client.sessions.retrieve('sess_1')

  expect(session.session_id).toBe(aSession().session_id)
  expect(printed(...records)).toContain('onDrift threw')
})

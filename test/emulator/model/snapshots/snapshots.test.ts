import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator, EmulatorError, type EmulatorOptions } from '../../../../src/emulator.ts'
import { rosterOf } from '../../support/roster.ts'
import { inProcess, later, start } from '../../support/service.ts'
import { callback, receiver } from '../../support/webhook-receivers.ts'

type Service = ReturnType<typeof inProcess>

/** As a file keeps it. */
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value))

const snapshotOf = async ({ emulator }: Pick<Service, 'emulator'>) => throughJson(await emulator.snapshot())

/** Another emulator, with the state of the first. */
async function restoredFrom(original: Pick<Service, 'emulator'>, options: EmulatorOptions = {}) {
  const restored = inProcess(options)
  await restored.emulator.restore(await snapshotOf(original))
  return restored
}

it('a snapshot has a version and the time, and is JSON', async () => {
  const snapshot = await inProcess().emulator.snapshot()

  expect(snapshot).toMatchObject({ version: 3, takenAt: start.toISOString() })
  expect(throughJson(snapshot)).toEqual(snapshot)
})

it('pending retries of webhooks happen in the restored emulator, at the same times', async () => {
  const original = inProcess({
    webhooks: { deliver: receiver(() => new Response(null, { status: 503 })).deliver },
  })
  const { session_id } = await original.session({ callback })
  await original.emulator.sessions.complete(session_id, 'APPROVED')
  const { received, deliver } = receiver()
  const { emulator } = await restoredFrom(original, { webhooks: { deliver } })
  expect(emulator.webhooks.deliveries).toMatchObject([{ retryAt: later(10).toISOString() }])

  await emulator.clock.advance(9_999)
  expect(received).toEqual([])
  await emulator.clock.advance(1)

  expect(await received[0]?.json()).toMatchObject({ session_id, type: 'verification.approved' })
  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true }])
})

it('a delivery that was in progress is attempted again, and counts as one attempt', async () => {
  let respond: (response: Response) => void = () => {}
  const original = inProcess({
    webhooks: {
      deliver: () =>
        new Promise((resolve) => {
          respond = resolve
        }),
    },
  })
  const { session_id } = await original.session({ callback })
  const completed = original.emulator.sessions.complete(session_id, 'APPROVED')
  await expect.poll(() => original.emulator.webhooks.deliveries[0]?.attempts[0]?.request.body).not.toBe('')
  const { received, deliver } = receiver(() => new Response(null, { status: 503 }))
  const { emulator } = await restoredFrom(original, { webhooks: { deliver } })
  respond(new Response())
  await completed

  await emulator.clock.advance(0)

  expect(received).toHaveLength(1)
  expect(emulator.webhooks.deliveries).toMatchObject([
    { attempts: [{ status: 503 }], retryAt: later(10).toISOString() },
  ])
})

it('events that a fault holds back are sent by the restored emulator after another event', async () => {
  const original = inProcess({ webhooks: { deliver: receiver().deliver } })
  original.emulator.webhooks.faults.add({ kind: 'out_of_order' })
  const first = await original.session({ callback })
  await original.emulator.sessions.complete(first.session_id, 'DECLINED')
  const { received, deliver } = receiver()
  const restored = await restoredFrom(original, { webhooks: { deliver } })
  const second = await restored.session({ callback })

  await restored.emulator.sessions.complete(second.session_id, 'APPROVED')

  const sent = await Promise.all(received.map(async (request) => JSON.parse(await request.text())))
  expect(sent.map(({ session_id }) => session_id)).toEqual([second.session_id, first.session_id])
})

it('held events that are being sent one by one are all in a snapshot that is taken in between', async () => {
  const responses: ((response: Response) => void)[] = []
  const original = inProcess({
    webhooks: {
      deliver: () =>
        new Promise((resolve) => {
          responses.push(resolve)
        }),
    },
  })
  original.emulator.webhooks.faults.add({ kind: 'out_of_order', times: 2 })
  for (const end of ['DECLINED', 'DECLINED', 'APPROVED'] as const)
    void original.emulator.sessions.complete((await original.session({ callback })).session_id, end)
  await expect.poll(() => responses.length).toBe(1)
  responses[0]?.(new Response())
  await expect.poll(() => responses.length).toBe(2)
  const { received, deliver } = receiver()

  const { emulator } = await restoredFrom(original, { webhooks: { deliver } })
  await emulator.clock.advance(0)
  const [, , sent] = emulator.webhooks.deliveries
  expect(sent).toMatchObject({ delivered: true })
  expect(received).toHaveLength(1)
  await Promise.all(
    emulator.webhooks.deliveries.filter(({ delivered }) => !delivered).map(({ id }) => emulator.webhooks.resend(id)),
  )

  expect(received).toHaveLength(2)
  for (const respond of responses) respond(new Response())
})

it('a request with an idempotency key from before the snapshot gets the first response, and costs nothing', async () => {
  const original = inProcess()
  const send = ({ post }: Service) => post('/api/v2/liveness', { image: 'AAAA' }, { key: 'key-1' })
  const first = await send(original)
  const restored = await restoredFrom(original)

  const second = await send(restored)

  expect(second.data).toEqual(first.data)
  expect(restored.emulator.ledger).toEqual(original.emulator.ledger)
  expect(restored.emulator.ledger).toHaveLength(1)
})

it('invites from before the snapshot count for the limit', async () => {
  const original = inProcess({ members: [{ email: 'a@example.com', status: 'invited' }] })
  for (let i = 0; i < 10; i++) await rosterOf(original).invite('a@example.com')
  const restored = await restoredFrom(original)

  expect((await rosterOf(restored).invite('a@example.com')).error?.code).toBe('rate_limited')
})

it('addresses are those of the emulator that restores', async () => {
  const original = inProcess()
  const { session_id } = await original.session()
  const { emulator } = await restoredFrom(original)

  const response = await emulator.at('http://127.0.0.1:4010')(`http://127.0.0.1:4010/api/v2/session/${session_id}`, {
    headers: { 'x-api-key': 'key_1' },
  })

  expect(await response.json()).toMatchObject({
    data: { session_id, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4010\/s\//) },
  })
})

it('options are those of the emulator that restores', async () => {
  const restored = await restoredFrom(inProcess(), { readings: { overrides: 'in_review_only' } })
  const { session_id } = await restored.session()

  expect((await restored.decide(session_id, 'DECLINED')).error?.code).toBe('review_not_pending')
})

it('a reset after a restore leads to the initial state of the options, and keeps the signing keys', async () => {
  const original = inProcess()
  await original.session()
  const restored = await restoredFrom(original)

  restored.emulator.reset()

  expect((await restored.get<{ sessions?: unknown[] }>('/api/v2/session')).data).toMatchObject([])
  expect((await restored.emulator.snapshot()).signingKeys).toEqual((await original.emulator.snapshot()).signingKeys)
})

it('restoring an earlier snapshot of the same emulator undoes what happened since', async () => {
  const service = inProcess()
  const { session_id } = await service.session()
  const snapshot = await service.emulator.snapshot()
  await service.emulator.sessions.complete(session_id, 'APPROVED')
  service.emulator.faults.add({ status: 500 })

  await service.emulator.restore(snapshot)

  expect(await service.statusOf(session_id)).toBe('NOT_STARTED')
})

it('with system clocks, time goes on between the snapshot and the restore', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  onTestFinished(() => void vi.useRealTimers())
  const original = createEmulator()
  await original.clock.advance(86_400_000)
  const snapshot = throughJson(await original.snapshot())
  vi.setSystemTime(later(3600))
  const restored = createEmulator()

  await restored.restore(snapshot)

  expect(restored.clock.now()).toEqual(later(86_400 + 3600))
  expect(original.clock.now()).toEqual(restored.clock.now())
})

it.each([
  ['both emulators have', { clock: () => start }, { clock: () => later(3600) }],
  ['the emulator of the snapshot has', { clock: () => start }, {}],
  ['the emulator that restores has', {}, { clock: () => start }],
])('if %s the option clock, time goes on from that of the snapshot', async (_, before, after) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const original = createEmulator(before)
  await original.clock.advance(5000)
  const restored = createEmulator(after)
  const snapshot = await original.snapshot()

  await restored.restore(snapshot)

  expect(restored.clock.now().toISOString()).toBe(snapshot.takenAt)
})

it.each([
  [undefined, 'the value must be what emulator.snapshot() returned'],
  [[], 'the value must be what emulator.snapshot() returned'],
  ['{}', 'the value must be what emulator.snapshot() returned'],
  [{ version: 2 }, 'the snapshot has version 2, and this package reads version 3'],
  [{ version: 3 }, 'the snapshot was changed after it was taken, or only a part of it was kept'],
])('%o is rejected with a reason, and changes nothing', async (value, reason) => {
  const service = inProcess()
  const { session_id } = await service.session()
  const restore: (value: never) => Promise<void> = service.emulator.restore

  const error = await restore(value as never).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(EmulatorError)
  expect(String(error)).toContain(`emulator.restore: ${reason}`)
  expect(await service.statusOf(session_id)).toBe('NOT_STARTED')
})

it('a snapshot can be restored after another program has changed the order of its members', async () => {
  const original = inProcess()
  const { session_id } = await original.session()
  const reversed = JSON.parse(JSON.stringify(await original.emulator.snapshot()), (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).reverse())
      : part,
  )
  const restored = inProcess()

  await restored.emulator.restore(reversed)

  expect(await restored.statusOf(session_id)).toBe('NOT_STARTED')
})

/** Every part of a JSON value: a path, and the value with something else at this path. */
function* damaged(json: unknown, path: readonly string[] = []): Generator<{ path: string; value: unknown }> {
  yield { path: path.join('.'), value: typeof json === 'string' ? 0 : 'damaged' }
  if (typeof json !== 'object' || json === null) return
  for (const [name, member] of Object.entries(json))
    for (const { path: at, value } of damaged(member, [...path, name]))
      yield {
        path: at,
        value: Object.assign(Array.isArray(json) ? [...json] : { ...json }, { [name]: value }),
      }
}

it('a snapshot with any part replaced is rejected, and changes nothing', async () => {
  const original = inProcess({ members: [{ email: 'a@example.com', status: 'link_sent' }] })
  original.emulator.faults.add({ match: 'checks.age', status: 503 })
  original.emulator.checks.script('liveness', 'failed')
  original.emulator.webhooks.faults.add({ kind: 'lost' })
  const { session_id } = await original.session({ callback })
  await original.emulator.sessions.complete(session_id, 'APPROVED')
  await original.post('/api/v2/liveness', { image: 'AAAA' }, { key: 'key-1' })
  const service = inProcess({ seed: 1 })
  const own = await service.session()
  const restore: (value: never) => Promise<void> = service.emulator.restore
  let tried = 0

  for (const { path, value } of damaged(await snapshotOf(original))) {
    tried += 1
    await expect(restore(value as never), path).rejects.toThrow(EmulatorError)
  }

  expect(tried).toBeGreaterThan(200)
  expect(await service.statusOf(own.session_id)).toBe('NOT_STARTED')
})

it('members of a request that look like a tag of a snapshot, or like a prototype, stay what they are', async () => {
  const metadata = JSON.parse('{"$date":"2026-01-01","a":{"$set":[1],"b":2},"__proto__":{"c":3}}')
  const original = inProcess()
  const workflow = { name: 'New', features: ['liveness'], metadata }
  const { data } = await original.post<{ id: string }>('/api/v2/workflows', workflow)
  const restored = await restoredFrom(original)

  const { data: found } = await restored.get(`/api/v2/workflows/${data.id}`)

  expect(JSON.stringify(found)).toBe(JSON.stringify(data))
})

it('a snapshot that an earlier release of this version has written can be restored', async () => {
  const file = new URL('version-3.snapshot', import.meta.url)
  const { emulator, statusOf } = inProcess()

  await emulator.restore(JSON.parse(readFileSync(file, 'utf8')))

  expect(await statusOf('sess_1')).toBe('APPROVED')
})

it('the revision changes with the state, and not without', async () => {
  const { deliver } = receiver()
  const { emulator, session, get } = inProcess({ webhooks: { deliver } })
  const seen = [emulator.revision]
  const changed = () => {
    seen.push(emulator.revision)
    return seen.at(-1) !== seen.at(-2)
  }

  const { session_id } = await session({ callback, ttl_seconds: 60 })
  expect(changed()).toBe(true)
  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  expect(changed()).toBe(true)
  await emulator.fetch('http://127.0.0.1/_emulator/api/sessions')
  await emulator.fetch('http://127.0.0.1/_emulator')
  await emulator.snapshot()
  expect(changed()).toBe(false)
  await emulator.fetch('http://127.0.0.1/_emulator/api/clock/advance', { method: 'POST', body: '{"ms":1}' })
  expect(changed()).toBe(true)
  await get('/api/v2/session')
  expect(changed()).toBe(true)
})

it('a snapshot contains no response, because nothing but the console shows them', async () => {
  const { emulator, get } = inProcess()
  await get('/api/v2/session')

  expect(emulator.requests[0]).toHaveProperty('responseBody')
  expect(JSON.stringify(await emulator.snapshot())).not.toContain('responseBody')
})

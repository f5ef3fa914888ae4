import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator, EmulatorError, type EmulatorOptions } from '../../../../src/emulator.ts'
import { isSdkError } from '../../../../src/index.ts'
import { adult } from '../../support/checks.ts'
import { inProcess, later, start } from '../../support/service.ts'
import { signInAt } from '../../support/sign-in.ts'
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

/** Changes each part of the state. Returns what a client knows afterwards. */
async function actBefore(service: ReturnType<typeof signInAt<Service>>) {
  const { call, codeFor, emulator, post, raw, session, tokensFor } = service
  const { session_id, url } = await session({ callback })
  await raw('POST', url, { body: new URLSearchParams({ choice: 'finish', liveness: 'review' }) })
  emulator.checks.script('age', { status: 'review', data: { x: undefined } as object }, { times: 2 })
  emulator.faults.add({ match: 'checks.location', status: 503, when: 'after', times: 2 })
  emulator.webhooks.faults.add({ kind: 'bad_signature', times: Number.POSITIVE_INFINITY })
  await emulator.sessions.complete((await session({ callback })).session_id, 'DECLINED')
  await post('/api/v2/age-verification', adult, { key: 'key-1' })
  await post('/api/v2/location', {}, { key: 'key-2' })
  await post('/api/v2/workflows', { name: 'New', features: ['age'], more: { $set: 1 } })
  await post('/api/v2/face-uniqueness', { image: 'AAAA' })
  for (let i = 0; i < 9; i++) await call('POST', '/api/sdk/members/a%40example.com/invite')
  await emulator.clock.advance(1000)
  return { session_id, url, code: codeFor(), ...(await tokensFor()) }
}

/** Returns what a client sees that knows what happened before. */
async function seenAfter(
  service: ReturnType<typeof signInAt<Service>>,
  known: Awaited<ReturnType<typeof actBefore>>,
): Promise<unknown> {
  const { call, emulator, exchange, get, keys, post, raw, refresh, session, statusOf } = service
  const { data } = await post<{ uuid: string }>('/api/v2/antispoof/identity', { image: 'AAAA' })
  const seen = [
    await call('DELETE', `/api/v2/face-uniqueness/${data.uuid}`),
    await post('/api/v2/age-verification', adult, { key: 'key-1' }),
    await post('/api/v2/location', {}, { key: 'key-2' }),
    await post('/api/v2/age-verification', adult),
    await get('/api/v2/workflows'),
    await get('/api/sdk/members'),
    await call('POST', '/api/sdk/members/a%40example.com/invite'),
    await call('POST', '/api/sdk/members/a%40example.com/invite'),
    await exchange(known.code),
    await refresh(known.refresh_token),
  ].map(({ headers: _, ...response }) => response)
  const page = await raw('GET', known.url)
  await emulator.clock.advance(10_000)
  const { ledger, webhooks } = emulator
  return structuredClone([
    seen,
    page.text,
    await keys(),
    await session(),
    await statusOf(known.session_id),
    ledger,
    webhooks.deliveries,
  ])
}

it('a restored emulator responds as the one does whose state it has', async () => {
  const webhooks = { deliver: receiver(() => new Response(null, { status: 503 })).deliver }
  const members = [{ email: 'a@example.com', status: 'link_sent' }] as const
  const original = signInAt(inProcess({ seed: 1, webhooks, members }))
  const known = await actBefore(original)
  const restored = signInAt(inProcess({ seed: 2, webhooks }))

  await restored.emulator.restore(await snapshotOf(original))

  expect(await seenAfter(restored, known)).toEqual(await seenAfter(original, known))
  expect((await snapshotOf(restored)).state).toEqual((await snapshotOf(original)).state)
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
  expect(isSdkError(error)).toBe(true)
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

it('a snapshot in which anything was replaced is rejected, and changes nothing', async () => {
  const { emulator, session, statusOf } = inProcess()
  const { session_id } = await session()
  const text = JSON.stringify(await emulator.snapshot())

  const changed = JSON.parse(text.replace('NOT_STARTED', 'APPROVED'))

  await expect(emulator.restore(changed)).rejects.toThrow('emulator.restore: the snapshot was changed')
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
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

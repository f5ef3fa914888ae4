import { expect, it } from 'vitest'
import { adult, type CheckResult } from '../support/checks.ts'
import { signInAt } from '../support/sign-in.ts'
import { callback, receiver } from '../support/webhook-receivers.ts'
import { withConsole } from './with-console.ts'

it('adds and removes faults', async () => {
  const { emulator, call, submit, read } = withConsole()
  const status = async () => (await call('GET', '/api/v2/session')).status
  const effect = '503 engine_unreachable'

  await submit('/faults', { match: 'sessions.list', effect, when: 'before', times: 'Infinity' })
  expect([await status(), await status()]).toEqual([503, 503])
  expect(await read('/faults')).toContain(
    'sessions.list: 503 engine_unreachable, before the operation runs, until removed',
  )
  await submit('/faults/clear')

  expect(await status()).toBe(200)
  emulator.faults.add({ match: { method: 'GET' }, reset: true, when: 'after', times: 3 })
  expect(await read('/faults')).toContain('GET: connection reset, after the operation ran and was charged, 3 times')
})

it('offers only effects that the emulator accepts', async () => {
  const { submit, read } = withConsole()
  const effects = [...(await read('/faults')).matchAll(/<option value="([^"]*)">/g)].map(([, value]) => value)
  const offered = effects.slice(effects.indexOf('connection reset'), effects.indexOf('before'))

  for (const effect of offered) expect((await submit('/faults', { effect: effect as string })).status).toBe(303)
  expect(offered.length).toBeGreaterThan(100)
})

it('sets delivery faults and check results, and clears them', async () => {
  const { emulator, post, received, session, submit, read } = withConsole()
  const age = async () => (await post<CheckResult>('/api/v2/age-verification', adult)).data.status
  await submit('/webhooks/faults', { kind: 'duplicate', type: '', times: 'Infinity' })
  await submit('/checks/outcomes', { type: 'age', outcome: 'review', times: 'Infinity' })

  const { session_id } = await session({ callback })
  await emulator.sessions.complete(session_id, 'APPROVED')
  expect(received).toHaveLength(2)
  expect(await age()).toBe('review')
  expect(await read('/webhooks')).toContain('duplicate, any type, until removed')
  await submit('/webhooks/faults/clear')
  await submit('/checks/outcomes/clear')

  await emulator.webhooks.resend(emulator.webhooks.deliveries[0]?.id ?? '')
  expect(received).toHaveLength(3)
  expect(await age()).toBe('passed')
  expect(await read('/checks')).toContain('Data of age')
})

it('sends a test event, whose page does not link to a session', async () => {
  const { deliver, received } = receiver()
  const { emulator, submit, read } = withConsole({
    webhooks: { deliver, destinations: ['https://app.example/hook'] },
  })

  expect(await read('/webhooks')).toContain('Send test event')
  expect((await submit('/webhooks/test', { type: 'verification.declined' })).status).toBe(303)

  expect(received).toHaveLength(1)
  const [delivery] = emulator.webhooks.deliveries
  expect(delivery?.event).toMatchObject({ test: true, type: 'verification.declined' })
  const page = await read(`/webhooks/${delivery?.id}`)
  expect(page).toContain(delivery?.event.session_id)
  expect(page).not.toContain('href="/_emulator/sessions/')
})

it('rotates the signing keys', async () => {
  const { keys, submit } = signInAt(withConsole())
  const before = await keys()

  expect((await submit('/tokens/rotate')).status).toBe(303)

  expect(await keys()).toHaveLength(2)
  expect(await keys()).toEqual(expect.arrayContaining([...before]))
})

it('moves the clock, which expires sessions, and resets the emulator', async () => {
  const { emulator, session, statusOf, submit } = withConsole()
  const { session_id } = await session({ ttl_seconds: 3600 })

  await submit('/clock', { ms: '600000' })
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
  await submit('/clock', { ms: '3600000' })
  expect(await statusOf(session_id)).toBe('EXPIRED')
  await submit('/reset')

  expect(emulator.requests).toEqual([])
})

it.each([
  ['/clock', { ms: 'soon' }],
  ['/faults', { effect: '200 fine' }],
  ['/faults', { effect: 'connection reset', match: 'nothing.at.all' }],
  ['/webhooks/faults', { kind: 'late', type: 'odd' }],
  ['/webhooks/test', { type: 'odd' }],
  ['/webhooks/test', { type: 'verification.approved' }],
  ['/webhooks/evt_unknown/resend', {}],
  ['/checks/outcomes', { type: 'age', outcome: 'odd' }],
  ['/checks/outcomes', { type: 'odd', outcome: 'passed' }],
])('rejects an invalid form at %s with 400: %j', async (path, fields) => {
  expect((await withConsole().submit(path, fields as Record<string, string>)).status).toBe(400)
})

import { expect, it } from 'vitest'
import { adult, type CheckResult } from '../support/checks.ts'
import { signInAt } from '../support/sign-in.ts'
import { callback, receiver } from '../support/webhook-receivers.ts'
import { withConsole } from './with-console.ts'

it('adds and removes faults', async () => {
  const { emulator, call, submit, read } = withConsole()
  const status = async () => (await call('GET', '/api/v2/session')).status

  await submit('/faults/faults.add', {
    ...{ match: 'sessions.list', status: '503', code: '' },
    ...{ delayMs: '', malformed: '', reset: '', when: 'before', times: 'Infinity' },
  })
  expect([await status(), await status()]).toEqual([503, 503])
  expect(await text('/faults')).toContain('sessions.list 503 before the operation runs until removed')
  await submit('/faults/faults.clear')

  expect(await status()).toBe(200)
  emulator.faults.add({ match: { method: 'GET' }, reset: true, when: 'after', times: 3 })
  expect(await text('/faults')).toContain('GET connection reset after the operation ran and was charged 3 times')

  async function text(path: string) {
    return (await read(path)).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  }
})

it('the form of a control has its fields, and the texts that they take', async () => {
  const { read } = withConsole()

  const form =
    /action="\/_emulator\/webhooks\/webhooks.faults.add"[\s\S]*?<\/form>/.exec(await read('/webhooks'))?.[0] ?? ''

  const names = [...form.matchAll(/ name="(\w+)"/g)].map(([, name]) => name)
  expect(names).toEqual(['kind', 'type', 'ageSeconds', 'times'])
  expect(form).toContain('<option value="out_of_order">')
  expect(await read('/faults')).toContain('<option value="checks.age">')
})

it('sets delivery faults and check results, and clears them', async () => {
  const { emulator, post, received, session, submit, read } = withConsole()
  const age = async () => (await post<CheckResult>('/api/v2/age-verification', adult)).data.status
  await submit('/webhooks/webhooks.faults.add', { kind: 'duplicate', type: '', times: 'Infinity' })
  await submit('/checks/checks.script', { type: 'age', outcome: 'review', times: 'Infinity' })

  const { session_id } = await session({ callback })
  await emulator.sessions.complete(session_id, 'APPROVED')
  expect(received).toHaveLength(2)
  expect(await age()).toBe('review')
  expect(await read('/webhooks')).toContain('duplicate, any type, until removed')
  await submit('/webhooks/webhooks.faults.clear')
  await submit('/checks/checks.clear')

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

  expect(await read('/webhooks')).toContain('Send a test event')
  expect((await submit('/webhooks/webhooks.sendTest', { type: 'verification.declined' })).status).toBe(303)

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

  expect((await submit('/tokens/signIn.rotateKeys')).status).toBe(303)

  expect(await keys()).toHaveLength(2)
  expect(await keys()).toEqual(expect.arrayContaining([...before]))
})

it('moves the clock, which expires sessions, and resets the emulator', async () => {
  const { emulator, session, statusOf, submit } = withConsole()
  const { session_id } = await session({ ttl_seconds: 3600 })

  await submit('/clock.advance', { ms: '600000' })
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
  await submit('/clock.advance', { ms: '3600000' })
  expect(await statusOf(session_id)).toBe('EXPIRED')
  await submit('/emulator.reset')

  expect(emulator.requests).toEqual([])
})

it.each([
  ['/clock.advance', { ms: 'soon' }, 400],
  ['/faults/faults.add', { reset: 'true', match: 'nothing.at.all' }, 400],
  ['/webhooks/webhooks.resend', { id: 'evt_unknown' }, 400],
  ['/checks/checks.script', { type: 'age', outcome: 'odd' }, 400],
  ['/checks/checks.unknown', {}, 404],
])('rejects an invalid form at %s: %j', async (path, fields, status) => {
  expect((await withConsole().submit(path, fields as Record<string, string>)).status).toBe(status)
})

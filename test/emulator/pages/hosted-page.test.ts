import { expect, it } from 'vitest'
import type { Emulator } from '../../../src/emulator.ts'
import { inProcess } from '../support/service.ts'
import { callback, receiver } from '../support/webhook-receivers.ts'

const choose = (emulator: Emulator, url: string, choice: string) =>
  emulator.fetch(new Request(url, { method: 'POST', body: new URLSearchParams({ choice }) }))

it('does not start the session for a HEAD request', async () => {
  const { emulator, session, statusOf } = inProcess()
  const { session_id, url } = await session()

  const response = await emulator.fetch(new Request(url, { method: 'HEAD' }))

  expect(response.status).toBe(200)
  expect(await response.text()).toBe('')
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
})

it.each([
  ['https://app.example/back?a=1&b=%20+x', 'https://app.example/back?a=1&b=%20+x&session_id=ID&status=APPROVED'],
  ['https://app.example/back?a=1#part', 'https://app.example/back?a=1&session_id=ID&status=APPROVED#part'],
  ['https://app.example', 'https://app.example/?session_id=ID&status=APPROVED'],
  ['https://app.example/back?', 'https://app.example/back?session_id=ID&status=APPROVED'],
  ['my-app://return', 'my-app://return?session_id=ID&status=APPROVED'],
])('keeps the existing query of redirect_url unchanged: %s', async (redirect_url, expected) => {
  const { emulator, session } = inProcess()
  const { session_id, url } = await session({ redirect_url })

  const response = await choose(emulator, url, 'approve')

  expect(response.headers.get('location')).toBe(expected.replace('ID', session_id))
})

it('sends the webhook without making the person wait for it', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const { deliver } = receiver(() => gate.then(() => new Response()))
  const { emulator, session } = inProcess({ webhooks: { deliver } })
  const { url } = await session({ callback })

  const response = await choose(emulator, url, 'approve')

  expect(response.status).toBe(303)
  release()
  await emulator.webhooks.settled()
  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true, event: { type: 'verification.approved' } }])
})

it.each([
  ['APPROVED', 409],
  ['DECLINED', 409],
  ['ABANDONED', 409],
  ['IN_REVIEW', 409],
  ['EXPIRED', 410],
] as const)('a session that is %s is closed and cannot be changed', async (status, expected) => {
  const { emulator, session, statusOf } = inProcess()
  const { session_id, url } = await session()
  await emulator.sessions.complete(session_id, status)

  const shown = await emulator.fetch(new Request(url))
  const chosen = await choose(emulator, url, 'approve')

  expect(shown.status).toBe(expected)
  const page = await shown.text()
  expect(page).toContain('This verification is closed')
  expect(page).not.toContain('<form')
  expect(chosen.status).toBe(expected)
  expect(await statusOf(session_id)).toBe(status)
})

it('rejects a choice that the page does not offer with 400', async () => {
  const { emulator, session, statusOf } = inProcess()
  const { session_id, url } = await session()

  expect((await choose(emulator, url, 'APPROVED')).status).toBe(400)
  expect((await emulator.fetch(new Request(url, { method: 'POST' }))).status).toBe(400)
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
})

it('returns 404 for an unknown session', async () => {
  const { emulator, session } = inProcess()
  const { session_id } = await session()

  for (const path of ['unknown', session_id])
    expect((await emulator.fetch(new Request(`https://identity.example/s/${path}`))).status).toBe(404)
})

import { expect, it } from 'vitest'
import type { Emulator } from '../../../src/emulator.ts'
import { pressButton } from '../support/press-button.ts'
import { inProcess, later, overHttp, start } from '../support/service.ts'
import { callback, receiver } from '../support/webhook-receivers.ts'

const choose = (emulator: Emulator, url: string, choice: string) =>
  emulator.fetch(new Request(url, { method: 'POST', body: new URLSearchParams({ choice }) }))

it('shows the workflow, the redirect_url and that nothing is verified, and starts the session', async () => {
  const { emulator, session, statusOf } = inProcess()
  const { session_id, url } = await session({ redirect_url: 'https://app.example/back' })

  const response = await emulator.fetch(new Request(url))

  const page = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page).toContain('<html lang="en">')
  expect(page).toContain('Nothing is verified.')
  expect(page).toContain('<h1>Identity</h1>')
  expect(page).toContain('https://app.example/back')
  expect(await statusOf(session_id)).toBe('IN_PROGRESS')
})

it('does not start the session for a HEAD request', async () => {
  const { emulator, session, statusOf } = inProcess()
  const { session_id, url } = await session()

  const response = await emulator.fetch(new Request(url, { method: 'HEAD' }))

  expect(response.status).toBe(200)
  expect(await response.text()).toBe('')
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
})

// Section 2.2
it.each([
  [/^Approve$/, 'APPROVED'],
  [/^Decline$/, 'DECLINED'],
  [/Leave/, 'ABANDONED'],
] as const)(
  'the button %s redirects to redirect_url with the id and the status of the session: %s',
  async (label, status) => {
    const service = await overHttp()
    const { session_id, url } = await service.session({ redirect_url: 'https://app.example/back' })

    const location = await pressButton(service, url, label)

    expect(location).toBe(`https://app.example/back?session_id=${session_id}&status=${status}`)
    expect(await service.statusOf(session_id)).toBe(status)
  },
)

it.each([
  [
    'https://app.example/back?a=1&b=%20+x',
    'https://app.example/back?a=1&b=%20+x&session_id=ID&status=APPROVED',
  ],
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

it('stays on the hosted page if the session has no redirect_url', async () => {
  const { emulator, session } = inProcess()
  const { url } = await session()

  const response = await choose(emulator, url, 'approve')

  expect(response.headers.get('location')).toBe(url)
  expect(await (await emulator.fetch(new Request(url))).text()).toContain('ended with status APPROVED')
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
  expect(emulator.webhooks.deliveries).toMatchObject([
    { delivered: true, event: { type: 'verification.approved' } },
  ])
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

it('is closed as soon as the session expires', async () => {
  let now = start
  const { emulator, session } = inProcess({ clock: () => now })
  const { url } = await session({ ttl_seconds: 60 })
  now = later(60)

  expect(await (await emulator.fetch(new Request(url))).text()).toContain('ended with status EXPIRED')
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

it('escapes all texts from outside', async () => {
  const hostile = `"><script>alert('x')</script><img src=x onerror=alert(1)>&amp;`
  const { emulator, session } = inProcess({
    workflows: [{ id: 'wf', name: hostile, features: [hostile as never] }],
  })
  const { url } = await session({
    workflow_id: 'wf',
    vendor_data: hostile,
    redirect_url: `javascript:alert(1)//${hostile}`,
  })

  const shown = await (await emulator.fetch(new Request(url))).text()
  await choose(emulator, url, 'approve')
  const closed = await (await emulator.fetch(new Request(url))).text()

  for (const page of [shown, closed]) {
    expect(page).not.toContain('<script')
    expect(page).not.toContain('<img')
    expect(page).not.toMatch(/<[^>]*(?:href="[^#]|src\s*=|action\s*=)/)
  }
  // In the title, the heading, the checks, the unsupported checks, the reference and the return address.
  expect(shown.split('&lt;script&gt;')).toHaveLength(7)
  expect(shown).toContain('&amp;amp;')
})

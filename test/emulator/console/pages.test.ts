import { expect, it } from 'vitest'
import { adult } from '../support/checks.ts'
import { apiKey, application, organization, origin, webhookSecret } from '../support/service.ts'
import { queryOf, signInAt } from '../support/sign-in.ts'
import { callback } from '../support/webhook-receivers.ts'
import { withConsole } from './with-console.ts'

const pages = [
  '',
  '/sessions',
  '/checks',
  '/webhooks',
  '/members',
  '/tokens',
  '/ledger',
  '/requests',
  '/faults',
]

it.each(pages)(
  'shows the page /_emulator%s with the warning and the content security policy, and does not log the request',
  async (path) => {
    const { emulator, send } = withConsole()

    const response = await send(path)

    expect(response.status).toBe(200)
    expect(response.headers.get('x-emulator')).toBe('1')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await response.text()).toContain('Nothing is verified.')
    expect(emulator.requests).toEqual([])
  },
)

it('redirects a GET of / to the console in a browser, and returns 404 to other clients', async () => {
  const { emulator } = withConsole()
  const getRoot = (accept: string) => emulator.fetch(new Request(`${origin}/`, { headers: { accept } }))

  const [browser, program] = [await getRoot('text/html,*/*;q=0.8'), await getRoot('*/*')]

  expect([browser.status, browser.headers.get('location')]).toEqual([303, '/_emulator'])
  expect(program.status).toBe(404)
})

it.each([
  ['/unknown', 404],
  ['/sessions/sess_unknown', 404],
  ['/webhooks/evt_unknown', 404],
])('shows that %s does not exist, with status %i', async (path, status) => {
  expect((await withConsole().send(path)).status).toBe(status)
})

it('shows a session with its checks, its timeline and its webhooks', async () => {
  const { emulator, session, decide, read } = withConsole()
  const { session_id } = await session({ callback, vendor_data: 'order 66' })
  emulator.sessions.start(session_id, { checks: { liveness: 'passed' } })
  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  await decide(session_id, 'DECLINED')
  await emulator.webhooks.settled()

  const text = (await read(`/sessions/${session_id}`)).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

  expect(await read('/sessions')).toContain(`/_emulator/sessions/${session_id}`)
  expect(text).toContain('order 66')
  expect(text).toMatch(/created .* liveness: ✓ passed .*IN_REVIEW .*DECLINED by the API/)
  for (const { id } of emulator.webhooks.deliveries) expect(text).toContain(id)
})

it('shows the metadata of a session, and isolates the text direction of values', async () => {
  const { session, read } = withConsole()
  const reversing = '\u202Ereference'
  const { session_id } = await session({ vendor_data: reversing, metadata: { cart: 'c_17' } })
  const plain = await session({})

  const page = await read(`/sessions/${session_id}`)

  expect(page).toContain('&quot;cart&quot;: &quot;c_17&quot;')
  expect(page).toContain(`<bdi>${reversing}</bdi>`)
  expect(await read(`/sessions/${plain.session_id}`)).toMatch(/Metadata<\/dt><dd><span class="quiet">none/)
})

it('shows a delivery with its request, signature and response, and resends it', async () => {
  const { emulator, received, session, submit, read } = withConsole()
  const { session_id } = await session({ callback })
  await emulator.sessions.complete(session_id, 'APPROVED')
  const [{ id, attempts } = { id: '', attempts: [] }] = emulator.webhooks.deliveries

  const response = await submit(`/webhooks/${id}/resend`)

  expect([response.status, response.headers.get('location')]).toEqual([303, `/_emulator/webhooks/${id}`])
  expect(received).toHaveLength(2)
  const page = await read(`/webhooks/${id}`)
  expect(page).toContain(attempts[0]?.request.headers['x-svc-signature'])
  expect(page).toContain('Attempt 2')
  expect(await read('/webhooks')).toContain(`/_emulator/webhooks/${id}`)
})

it('shows the status of a delivery', async () => {
  let response = new Response(null, { status: 500 })
  const { emulator, session, read } = withConsole({
    webhooks: { deliver: async () => response.clone(), retryAfterSeconds: [60] },
  })
  const status = async () => /· <\/span>|badge[^>]*>.*?<\/span> ([a-z ]+)</.exec(await read('/webhooks'))?.[1]
  emulator.webhooks.faults.add({ kind: 'lost' })
  const { session_id } = await session({ callback })
  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  const id = emulator.webhooks.deliveries[0]?.id ?? ''

  expect(await status()).toBe('held back')
  await emulator.webhooks.resend(id)
  expect(await status()).toBe('retrying')
  await emulator.clock.advance(60_000)
  expect(await status()).toBe('failed')
  response = new Response()
  await emulator.webhooks.resend(id)
  expect(await status()).toBe('delivered')
})

it('shows the ledger, members with their activation links and issued tokens, but no secrets', async () => {
  const { authorizationUrl, emulator, exchange, post, read } = signInAt(
    withConsole({ members: [{ email: 'kim@example.com', first_name: 'Kim', status: 'link_sent' }] }),
  )
  await post('/api/v2/age-verification', adult, { key: 'key-1' })
  const { code = '' } = queryOf(emulator.signIn.approve(authorizationUrl()))
  const { body } = await exchange(code)

  const everything = (await Promise.all(pages.map(read))).join('\n')

  expect(everything).toContain('key-1')
  expect(everything).toContain('user_sample')
  expect(everything).toContain(emulator.members.activationLink('kim@example.com')?.split('/').at(-1))
  const secrets = [
    ...Object.values(body).filter((value) => String(value).length > 20),
    code,
    application.client_secret,
    ...Object.values({ ...apiKey, ...organization }).filter((value) => value !== 'org_1'),
    webhookSecret,
  ]
  expect(secrets).toHaveLength(8)
  for (const secret of secrets) expect(everything).not.toContain(secret)
})

it('shows the newest 200 records, with very long values cut', async () => {
  const { session, read } = withConsole()
  for (let i = 0; i < 201; i++) await session({ vendor_data: `n${i}n${'x'.repeat(i === 200 ? 100_000 : 0)}` })

  const page = await read('/sessions')

  expect(page).toContain('Showing the newest 200 of 201.')
  expect(page).toContain('n1n')
  expect(page).not.toContain('>n0n')
  expect(page.length).toBeLessThan(250_000)
})

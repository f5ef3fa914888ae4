import { expect, it } from 'vitest'
import { adult } from '../support/checks.ts'
import { apiKey, application, organization, webhookSecret } from '../support/service.ts'
import { queryOf, signInAt } from '../support/sign-in.ts'
import { callback } from '../support/webhook-receivers.ts'
import { consoleOrigin, withConsole } from './with-console.ts'

const pages = ['', '/sessions', '/checks', '/webhooks', '/members', '/tokens', '/ledger', '/requests', '/faults']

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
  const getRoot = (accept: string) => emulator.fetch(new Request(`${consoleOrigin}/`, { headers: { accept } }))

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

  const response = await submit('/webhooks/webhooks.resend', { id })

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

  // The overview shows the credentials of the emulator, for the settings of the app.
  const [overview, ...others] = await Promise.all(pages.map(read))
  const everything = others.join('\n')

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
  for (const secret of [...Object.values(body), code])
    if (String(secret).length > 20) expect(overview).not.toContain(secret)
})

it('shows 100 records on a page, newest first, with very long values cut', async () => {
  const { session, read } = withConsole()
  for (let i = 0; i < 101; i++) await session({ vendor_data: `n${i}n${'x'.repeat(i === 100 ? 100_000 : 0)}` })

  const first = await read('/sessions')
  const second = await read('/sessions?page=2')

  expect(first).toContain('1 to 100 of 101')
  expect(first).toContain('n1n')
  expect(first).not.toContain('>n0n')
  expect(first.length).toBeLessThan(150_000)
  expect(second).toContain('>n0n')
  expect(second).not.toContain('>n1n')
  for (const number of ['0', '-1', 'x']) expect(await read(`/sessions?page=${number}`)).toContain('1 to 100 of 101')
  expect(await read('/sessions?page=999')).toContain('101 to 101 of 101')
})

it('shows the sessions of a person together, the person with the newest session first', async () => {
  const { session, read } = withConsole()
  const ada = await session({ vendor_data: 'ada' })
  const bo = await session({ vendor_data: 'bobby' })
  const adaAgain = await session({ vendor_data: 'ada' })
  const nobody = await session()
  const alsoNobody = await session()

  const page = await read('/sessions')

  const order = [...page.matchAll(/sessions\/(sess_\w+)/g)].map(([, id]) => id)
  expect(order).toEqual([alsoNobody, nobody, adaAgain, ada, bo].map(({ session_id }) => session_id))
})

it.each([
  // Names that no id contains, because ids are hexadecimal.
  ['/sessions?q=ZOE', 'zoe', 'bobby'],
  ['/sessions?status=EXPIRED', 'bobby', 'zoe'],
  ['/members?q=kim@', 'kim@example.com', 'lou@example.com'],
  ['/members?q=DEACTIVATED', 'lou@example.com', 'kim@example.com'],
  ['/requests?q=vendor_data%3Dbo', 'vendor_data=bo', 'vendor_data=ada'],
  ['/requests?result=failed+(4xx)', '/unknown', '/api/v2/session'],
])('finds records: %s', async (path, found, notFound) => {
  const { emulator, session, get, read } = withConsole({
    members: [{ email: 'kim@example.com' }, { email: 'lou@example.com', status: 'deactivated' }],
  })
  await session({ vendor_data: 'zoe' })
  const { session_id } = await session({ vendor_data: 'bobby' })
  await emulator.sessions.complete(session_id, 'EXPIRED')
  for (const address of ['/api/v2/session?vendor_data=ada', '/api/v2/session?vendor_data=bo', '/unknown'])
    await get(address)

  const main = /<main[\s\S]*<\/main>/.exec(await read(path))?.[0] ?? ''
  const table = /<table[\s\S]*<\/table>/.exec(main)?.[0]

  if (path.includes('vendor')) {
    expect([...(table ?? '').matchAll(/<tr>/g)]).toHaveLength(2)
    return
  }
  expect(table).toContain(found)
  expect(table).not.toContain(notFound)
})

it('shows a request with its query, headers, body, response and error, and masks the secrets', async () => {
  const { emulator, exchange, get, read, authorizationUrl } = signInAt(
    withConsole({ readings: { unlistedFields: 'ignored' } }),
  )
  const { code = '' } = queryOf(emulator.signIn.approve(authorizationUrl()))
  const { body } = await exchange(code)
  await get('/api/v2/session/sess_unknown?expand=checks')
  const [token, failed] = emulator.requests.slice(-2)

  const tokenPage = await read(`/requests/${token?.requestId}`)
  const failedPage = await read(`/requests/${failed?.requestId}`)

  for (const secret of [code, application.client_secret, ...Object.values(body).map(String)])
    if (secret.length > 20) expect(tokenPage).not.toContain(secret)
  expect(tokenPage).toContain('&quot;access_token&quot;: &quot;[masked]&quot;')
  expect(tokenPage).toContain('&quot;client_secret&quot;: &quot;[masked]&quot;')
  for (const part of ['expand', 'checks', 'x-api-key', '[masked]', 'not_found', 'sessions.retrieve'])
    expect(failedPage).toContain(part)
  expect(await read('/requests')).toContain('not_found')
})

it('ends a session with a button, and offers the ends that are possible', async () => {
  const { session, read, submit, statusOf } = withConsole()
  const { session_id } = await session({ callback })
  const complete = (status: string) => submit('/sessions/sessions.complete', { id: session_id, status })
  const offered = async () =>
    [...(await read(`/sessions/${session_id}`)).matchAll(/name="status" value="(\w+)"/g)].map(([, end]) => end)

  expect(await offered()).toEqual(['APPROVED', 'DECLINED', 'IN_REVIEW', 'EXPIRED', 'ABANDONED'])
  expect((await complete('IN_REVIEW')).headers.get('location')).toBe(`/_emulator/sessions/${session_id}`)
  expect(await offered()).toEqual(['APPROVED', 'DECLINED', 'EXPIRED', 'ABANDONED'])
  await complete('DECLINED')

  expect(await statusOf(session_id)).toBe('DECLINED')
  expect(await offered()).toEqual([])
  expect((await complete('APPROVED')).status).toBe(400)
})

it('shows the settings of an app for each kind of terminal', async () => {
  const { read } = withConsole()

  const page = (await read('')).replaceAll('&#39;', "'").replaceAll('&quot;', '"')

  expect(page).toContain(`export SVC_API_KEY=${apiKey['X-API-Key']}`)
  expect(page).toContain(`$env:SVC_API_KEY = '${apiKey['X-API-Key']}'`)
  expect(page).toContain(`\nSVC_ORG_BASE_URL=${consoleOrigin}`)
  for (const name of ['SVC_ORG_BASE_URL', 'SVC_CLIENT_ID', 'SVC_CLIENT_SECRET', 'SVC_WEBHOOK_SECRET'])
    expect(page).toContain(`export ${name}=`)
})

it('keeps the responses of the latest 1,000 requests', async () => {
  const { emulator, get } = withConsole()

  for (let i = 0; i < 1002; i++) await get('/api/v2/session')

  expect(emulator.requests.findIndex(({ responseBody }) => responseBody !== undefined)).toBe(2)
})

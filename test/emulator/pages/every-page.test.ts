import { beforeAll, expect, it } from 'vitest'
import { inProcess, later, start } from '../support/service.ts'
import { signInAt } from '../support/sign-in.ts'
import { type Element, elements, named, only, textOf } from './document.ts'
import { titleOf, type Visit, visitor } from './visitor.ts'

const strictHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-emulator': '1',
}

const statuses = {
  overview: 200,
  'overview, with an error': 200,
  step: 200,
  'step, with an error': 200,
  'second step': 200,
  summary: 200,
  'summary, with an error': 200,
  'summary of all': 200,
  'cross-site form': 403,
  'oversized form': 413,
  'form in another encoding': 415,
  'unknown session': 404,
  closed: 409,
  expired: 410,
  consent: 200,
  'consent, with an error': 400,
  'unknown client': 401,
  'unknown redirect URI': 400,
  invitation: 200,
  'invitation, with an error': 400,
  connected: 200,
  'invalid invitation': 404,
}

const names = Object.keys(statuses) as (keyof typeof statuses)[]
let pages: Record<string, Visit>

const back = 'https://elsewhere.example/back'

async function hostedPages(): Promise<Record<string, Visit>> {
  let now = start
  const { emulator, session } = inProcess({
    clock: () => now,
    workflows: [{ id: 'wf', name: 'Identity', features: ['liveness', 'age', 'voice' as never] }],
  })
  const { open, press } = visitor(emulator)
  const create = async () =>
    (
      await session({
        workflow_id: 'wf',
        vendor_data: 'customer-1',
        redirect_url: back,
        ttl_seconds: 60,
      })
    ).url
  const url = await create()
  const late = await create()
  const pages = {
    overview: await open(url),
    'overview, with an error': await press(url, { choice: 'finish' }),
    step: await open(`${url}?step=1`),
    'step, with an error': await press(`${url}?step=1`, { choice: 'continue' }),
    'second step': await press(`${url}?step=1`, { choice: 'continue', liveness: 'passed' }).then(() =>
      open(`${url}?step=2`),
    ),
    summary: await open(`${url}?step=summary`),
    'summary, with an error': await press(`${url}?step=summary`, { choice: 'finish' }),
    'summary of all': await press(`${url}?step=2`, { choice: 'continue', age: 'review' }).then(() =>
      open(`${url}?step=summary`),
    ),
    'cross-site form': await press(url, {}, { origin: 'null' }),
    'oversized form': await press(url, { pad: 'x'.repeat(70_000) }),
    'form in another encoding': await press(url, { a: 'b' }, { 'content-type': 'text/plain' }),
    'unknown session': await open('https://identity.example/s/unknown'),
    closed: await press(url, { choice: 'approve' }).then(() => open(url)),
  }
  now = later(60)
  return { ...pages, expired: await open(late) }
}

async function consentPages(): Promise<Record<string, Visit>> {
  const { emulator, authorizationUrl } = signInAt(
    inProcess({
      oidc: { clientId: 'an_app', scopes: ['openid', 'own'], redirectUris: undefined },
      users: [{ sub: 'Ada', name: 'Ada' }, { sub: 'two', email: 'ada@example.com' }, { sub: 'three' }],
    }),
  )
  const { open, press } = visitor(emulator)
  const url = authorizationUrl({
    client_id: 'an_app',
    scope: 'openid own',
    redirect_uri: `http://127.0.0.1:5555/?${back}`,
  })
  return {
    consent: await open(url),
    'consent, with an error': await press(url, { choice: 'Ada' }),
    'unknown client': await open(authorizationUrl({ client_id: 'another_app' })),
    'unknown redirect URI': await open(authorizationUrl({ client_id: 'an_app', redirect_uri: back })),
  }
}

async function activationPages(): Promise<Record<string, Visit>> {
  const { emulator } = inProcess({
    org: { name: 'Example Ltd' },
    members: [{ email: 'ada@example.com', first_name: 'Ada', last_name: 'Ada', status: 'link_sent' }],
  })
  const { open, press } = visitor(emulator)
  const url = emulator.members.activationLink('ada@example.com') as string
  return {
    invitation: await open(url),
    'invitation, with an error': await press(url, {}),
    connected: await press(url, { choice: 'connect' }),
    'invalid invitation': await open(url),
  }
}

/** Each kind of page for end users, including error pages. */
beforeAll(async () => {
  pages = { ...(await hostedPages()), ...(await consentPages()), ...(await activationPages()) }
})

const pageOf = (name: string): Visit => {
  const visit = pages[name]
  if (visit === undefined) throw new Error(`no page ${name}`)
  return visit
}

it.each(names)('%s: responds with its status and strict headers', (name) => {
  const { status, headers } = pageOf(name)

  expect(status).toBe(statuses[name])
  expect(Object.fromEntries(headers)).toMatchObject(strictHeaders)
})

it.each(names)('%s: starts with the notice that nothing is verified, has landmarks and a skip link', (name) => {
  const { document } = pageOf(name)
  const inBody = only(document, 'body').children.filter((child) => typeof child !== 'string') as Element[]
  const [skip, header, main] = inBody

  expect(only(document, 'html').attributes.lang).toBe('en')
  expect(inBody.map((element) => element.name)).toEqual(['a', 'header', 'main'])
  expect(skip?.attributes.href).toBe('#main')
  expect(main?.attributes.id).toBe('main')
  expect(textOf(header as Element).trim()).toMatch(/^Local emulator\. Nothing is verified\. \w/)
  expect(named(document, 'h1')).toHaveLength(1)
})

it.each(names)('%s: loads no resource and runs no script', (name) => {
  const all = elements(pageOf(name).document)
  const tabIcon = only(pageOf(name).document, 'link')

  expect(all.filter(({ name: tag }) => /^(?:script|img|iframe|object|embed|base)$/.test(tag))).toEqual([])
  expect(tabIcon.attributes).toEqual({ rel: 'icon', href: expect.stringMatching(/^data:image\/svg\+xml,/) })
  for (const { attributes } of all)
    for (const [attribute, value] of Object.entries(attributes)) {
      expect(attribute).not.toMatch(/^(?:on|src|style|action|formaction|xlink)/)
      if (attribute === 'href' && attributes !== tabIcon.attributes)
        expect(value).toMatch(/^(?:#main|\?(?:step=(?:\d+|summary))?)$/)
    }
  expect(textOf(only(pageOf(name).document, 'style'))).not.toMatch(/url\((?!"data:)|@import/)
})

it('gives every page a unique title', () => {
  // The two summaries are the same page at different times.
  const titles = names.filter((name) => name !== 'summary of all').map((name) => titleOf(pageOf(name)))
  expect(new Set(titles).size).toBe(titles.length)
})

it('sends the same headers with redirects', async () => {
  const { emulator, session } = inProcess()
  const { url } = await session()
  const { press } = visitor(emulator)
  const consent = signInAt(inProcess())

  const redirects = [
    await press(`${url}?step=1`, { choice: 'continue', id_verification: 'passed' }),
    await press(url, { choice: 'approve' }),
    await visitor(consent.emulator).press(consent.authorizationUrl(), { choice: 'deny' }),
  ]

  for (const { status, headers } of redirects) {
    expect(status).toBe(303)
    expect(Object.fromEntries(headers)).toMatchObject(strictHeaders)
  }
})

import { beforeAll, expect, it } from 'vitest'
import { inProcess } from '../support/service.ts'
import { signInAt } from '../support/sign-in.ts'
import { type Element, elements, named, only, skeleton, textOf } from './document.ts'
import { everyPage, harmless, type PageTexts } from './every-page.ts'
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
  accepted: 409,
  replaced: 410,
  'unknown invitation': 404,
}

const names = Object.keys(statuses) as (keyof typeof statuses)[]
let pages: Record<string, Visit>

beforeAll(async () => {
  pages = await everyPage({ ...harmless, redirectUrl: 'https://elsewhere.example/back' })
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

it.each(names)(
  '%s: starts with the notice that nothing is verified, has landmarks and a skip link',
  (name) => {
    const { document } = pageOf(name)
    const inBody = only(document, 'body').children.filter((child) => typeof child !== 'string') as Element[]
    const [skip, header, main] = inBody

    expect(only(document, 'html').attributes.lang).toBe('en')
    expect(inBody.map((element) => element.name)).toEqual(['a', 'header', 'main'])
    expect(skip?.attributes.href).toBe('#main')
    expect(main?.attributes.id).toBe('main')
    expect(textOf(header as Element).trim()).toMatch(/^Local emulator\. Nothing is verified\. \w/)
    expect(named(document, 'h1')).toHaveLength(1)
  },
)

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

/** The pages that show each text. */
const shownOn: { readonly [Field in keyof PageTexts]: readonly string[] } = {
  workflow: ['overview', 'overview, with an error', 'step', 'second step'],
  feature: ['overview'],
  vendorData: ['overview'],
  redirectUrl: ['overview', 'consent'],
  clientId: ['consent', 'consent, with an error'],
  scope: ['consent'],
  user: ['consent'],
  email: ['consent', 'invitation'],
  organization: ['invitation', 'connected'],
  member: ['invitation'],
}

const hostile = [
  `"><script>alert('x')</script><img src=x onerror=alert(1)>`,
  `</title></style></main><script>alert(1)</script>`,
  `' onfocus='alert(1)' autofocus x='`,
  `" onfocus="alert(1)" autofocus x="`,
  '&lt;b&gt; &amp;quot; &#60;i&#62; &',
  '<!--', // An unescaped one would hide the rest of the page.
  `{{7*7}} \${7*7} <%= 7*7 %> \`x\``,
  'javascript:alert(1)',
  '\u202Etxt\u0000\uFEFF\u{1F600}\u0301',
]

it.each(hostile)('escapes the text %j on every page', async (text) => {
  const word = text.replaceAll(' ', '\u00A0')
  const texts: PageTexts = {
    workflow: text,
    feature: text,
    vendorData: text,
    redirectUrl: `javascript:alert(1)//${text}`,
    clientId: text,
    scope: word,
    user: text,
    email: `${word}@example.com`,
    organization: text,
    member: text,
  }

  const visits = await everyPage(texts)

  // The parser throws if the markup is malformed.
  for (const name of names)
    expect(skeleton((visits[name] as Visit).document), name).toBe(skeleton(pageOf(name).document))
  for (const [field, pagesWithText] of Object.entries(shownOn))
    for (const name of pagesWithText)
      expect(textOf((visits[name] as Visit).document), `${field} on ${name}`).toContain(
        texts[field as keyof PageTexts],
      )
  const values = named((visits.consent as Visit).document, 'input').map(({ attributes }) => attributes.value)
  expect(values).toEqual([text, 'two', 'three'])
})

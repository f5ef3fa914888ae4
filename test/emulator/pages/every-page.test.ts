import { beforeAll, expect, it } from 'vitest'
import { emulated } from '../emulated.ts'
import { signedIn } from '../signed-in.ts'
import { type Element, elements, named, only, skeleton, textOf } from './document.ts'
import { everyPage, harmless, type Shown } from './every-page.ts'
import { titleOf, type Visit, visitor } from './visitor.ts'

const strictHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-emulator': '1',
}

const statuses = {
  overview: 200,
  'overview, asked again': 400,
  step: 200,
  'step, asked again': 400,
  'second step': 200,
  summary: 200,
  'summary, asked again': 400,
  'summary of all': 200,
  'form from elsewhere': 403,
  'form that is too large': 413,
  'form that is none': 415,
  'no session': 404,
  closed: 409,
  expired: 410,
  consent: 200,
  'consent, asked again': 400,
  'no consent': 401,
  'no redirect': 400,
  invitation: 200,
  'invitation, asked again': 400,
  connected: 200,
  accepted: 409,
  over: 410,
  'no invitation': 404,
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

it.each(names)('%s: answers with its status and strict headers', (name) => {
  const { status, headers } = pageOf(name)

  expect(status).toBe(statuses[name])
  expect(Object.fromEntries(headers)).toMatchObject(strictHeaders)
})

it.each(names)('%s: says first that nothing is verified, in landmarks, with a way past the head', (name) => {
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

it.each(names)('%s: loads nothing and runs nothing', (name) => {
  const all = elements(pageOf(name).document)

  expect(all.filter(({ name: tag }) => /^(?:script|link|img|iframe|object|embed|base)$/.test(tag))).toEqual(
    [],
  )
  for (const { attributes } of all)
    for (const [attribute, value] of Object.entries(attributes)) {
      expect(attribute).not.toMatch(/^(?:on|src|style|action|formaction|xlink)/)
      if (attribute === 'href') expect(value).toMatch(/^(?:#main|\?(?:step=(?:\d+|summary))?)$/)
    }
  expect(textOf(only(pageOf(name).document, 'style'))).not.toMatch(/url\(|@import/)
})

it('bears a title that no other page bears', () => {
  // The two summaries are one page at two times.
  const titles = names.filter((name) => name !== 'summary of all').map((name) => titleOf(pageOf(name)))
  expect(new Set(titles).size).toBe(titles.length)
})

it('gives redirects the same headers', async () => {
  const { emulator, session } = emulated()
  const { url } = await session()
  const { press } = visitor(emulator)
  const consent = signedIn()

  const answers = [
    await press(`${url}?step=1`, { choice: 'answer', id_verification: 'passed' }),
    await press(url, { choice: 'approve' }),
    await visitor(consent.emulator).press(consent.authorizationUrl(), { choice: 'deny' }),
  ]

  for (const { status, headers } of answers) {
    expect(status).toBe(303)
    expect(Object.fromEntries(headers)).toMatchObject(strictHeaders)
  }
})

/** Where a field is not shown, the page does not know it. */
const shownOn: { readonly [Field in keyof Shown]: readonly string[] } = {
  workflow: ['overview', 'overview, asked again', 'step', 'second step'],
  feature: ['overview'],
  vendorData: ['overview'],
  redirectUrl: ['overview', 'consent'],
  clientId: ['consent', 'consent, asked again'],
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
  '<!--', // Whatever is behind it would be gone.
  `{{7*7}} \${7*7} <%= 7*7 %> \`x\``,
  'javascript:alert(1)',
  '\u202Etxt\u0000\uFEFF\u{1F600}\u0301',
]

it.each(hostile)('shows text as text: %j', async (text) => {
  const word = text.replaceAll(' ', '\u00A0')
  const shown: Shown = {
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

  const seen = await everyPage(shown)

  // The parser throws on markup that is not well-formed.
  for (const name of names)
    expect(skeleton((seen[name] as Visit).document), name).toBe(skeleton(pageOf(name).document))
  for (const [field, where] of Object.entries(shownOn))
    for (const name of where)
      expect(textOf((seen[name] as Visit).document), `${field} on ${name}`).toContain(
        shown[field as keyof Shown],
      )
  const values = named((seen.consent as Visit).document, 'input').map(({ attributes }) => attributes.value)
  expect(values).toEqual([text, 'two', 'three'])
})

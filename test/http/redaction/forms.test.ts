import { expect, it } from 'vitest'
import type { VerificationClient } from '../../../src/verification.ts'
import { respond, scriptedFetch } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

/** What the client adds to the service's message. */
const facts = /^[\w.]+: 400 x: | \(request req_1\)$/g

/** The words of the error if the service responds to a call with a message. */
async function messageOf(
  message: string,
  call: (client: VerificationClient) => PromiseLike<unknown>,
  options: Parameters<typeof testClient>[0] = {},
): Promise<string> {
  const { fetch } = scriptedFetch(respond(400, { error: { code: 'x', message } }))
  const error = await thrownBy(call(testClient({ fetch, ...options }).client))
  return (error as Error).message.replace(facts, '')
}

const carrying = (value: unknown) => (client: VerificationClient) =>
  client.sessions.create({ metadata: { value } as object })

const nested = (depth: number, value: unknown): unknown =>
  depth === 0 ? value : { deeper: [nested(depth - 1, value)] }

it.each([1, 4, 10, 300])('masks a value that is %d levels deep in the params', async (depth) => {
  expect(await messageOf('no Ada Lovelace here', carrying(nested(depth, 'Ada Lovelace')))).toBe(
    'no [redacted] here',
  )
})

it.each(['type', 'role', 'status', 'grant_type', 'metadata'])(
  'masks the value of a member of metadata that is called %s',
  async (name) => {
    expect(await messageOf('no Lovelace here', carrying({ [name]: 'Lovelace' }))).toBe('no [redacted] here')
  },
)

it('masks the names of the members of metadata, at any depth', async () => {
  const value = { 'Ada Lovelace': { ada_lovelace_1815: [{ countess: 1 }] } }

  expect(await messageOf('Ada Lovelace, ada_lovelace_1815, countess', carrying(value))).toBe(
    '[redacted], [redacted], [redacted]',
  )
})

it('keeps the names of documented fields and the values that the contract lists', async () => {
  const message = 'workflow_id is missing, and status must be APPROVED or DECLINED'

  expect(
    await messageOf(message, (client) => client.sessions.updateStatus('sess_1', { status: 'APPROVED' })),
  ).toBe(message)
})

class Person {
  readonly name = 'Ada Lovelace'
}

it.each([
  ['an object of a class', new Person(), 'Ada Lovelace'],
  ['a date', new Date('1815-12-10T00:00:00.000Z'), '1815-12-10T00:00:00.000Z'],
  ['an object with toJSON', { toJSON: () => ({ name: 'Ada Lovelace' }) }, 'Ada Lovelace'],
  [
    'an object without a prototype',
    Object.assign(Object.create(null), { name: 'Ada Lovelace' }),
    'Ada Lovelace',
  ],
  ['a boxed string', new String('Ada Lovelace'), 'Ada Lovelace'],
  ['a number', 18_151, '18151'],
])('masks what is sent for %s', async (_, value, sent) => {
  expect(await messageOf(`no ${sent} here`, carrying(value))).toBe('no [redacted] here')
})

const text = 'Ada & "Countess" O\'Lovelace <ada> väinö/1 + 2'

const escapedForHtml = (value: string) => value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
const inHex = (value: string) => Buffer.from(value).toString('hex')
const asciiJson = (value: string) =>
  value.replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
const inUrl = encodeURIComponent(text)

it.each([
  ['in JSON', JSON.stringify(text).slice(1, -1)],
  ['in ASCII JSON', asciiJson(text)],
  ['in JSON in JSON', JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  ['in JSON with escaped slashes', JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
  ['in a URL', inUrl],
  ['in a URL in lower case', inUrl.replace(/%../g, (digits) => digits.toLowerCase())],
  ['in a form', new URLSearchParams({ text }).toString().slice('text='.length)],
  ['with a plus for each space', text.replaceAll(' + ', ' %2B ').replaceAll(' ', '+')],
  ['in a URL in a URL', encodeURIComponent(inUrl)],
  ['with every byte encoded', inHex(text).replace(/../g, '%$&')],
  ['in HTML', escapedForHtml(text)],
  [
    'in HTML with hexadecimal entities',
    text.replace(/[&<>"']/g, (s) => `&#x${s.charCodeAt(0).toString(16)};`),
  ],
  ['in HTML with &#039;', text.replaceAll("'", '&#039;').replaceAll('&', '&amp;').replace('&amp;#', '&#')],
  ['in HTML in JSON', JSON.stringify(escapedForHtml(text)).slice(1, -1)],
  ['in upper case', text.toUpperCase()],
  ['with other spaces', text.replaceAll(' ', '\u00a0')],
  ['in base64', Buffer.from(text).toString('base64')],
  ['in base64url', Buffer.from(text).toString('base64url')],
  ['in hexadecimal', inHex(text)],
])('masks a value that the service returns %s', async (_, echo) => {
  expect(await messageOf(`no "${echo}", sorry`, carrying(text))).toMatch(/^no "\[redacted\]={0,2}", sorry$/)
})

it.each([
  ['base64', 'TG92ZQ'],
  ['base64 after other bytes', Buffer.from('no Love').toString('base64').replace('=', '')],
  ['hexadecimal', inHex('Love')],
  ['upper-case hexadecimal after an odd digit', `f${inHex('Love').toUpperCase()}`],
  ['escaped base64', encodeURIComponent(Buffer.from('x?Love?').toString('base64'))],
])('masks a value of four characters in %s', async (_, echo) => {
  expect(await messageOf(`no '${echo}', sorry`, carrying('Love'))).toMatch(
    /^no '\[redacted\](?:=|%3D)*', sorry$/,
  )
})

it.each([
  ['Weiß', 'WEISS'],
  ['Zoë Müller', 'Zoe\u0308 Mu\u0308ller'],
  ['Zoe\u0308', 'Zoë'],
])('masks %s in another spelling: %s', async (value, echo) => {
  expect(await messageOf(`no ${echo} here`, carrying(value))).toBe('no [redacted] here')
})

it.each([
  'Ada-Lovelace',
  'ada_lovelace',
  'AdaLovelace',
  'A\u200bda Lovelace',
  '"Ada" "Lovelace"',
  'LOVELACE',
])('masks a name that the service returns as %j', async (echo) => {
  expect(await messageOf(`no <${echo}>, sorry`, carrying('Ada Lovelace'))).toMatch(
    /^no <(?:"|\[redacted\])+>, sorry$/,
  )
})

const words = Array.from({ length: 3000 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))} ${i}`).join(
  ' ',
)

it.each([
  ['as a whole', words],
  ['from its 4,096th character', words.slice(4096)],
  ['in part', words.slice(9000, 9100)],
  ['cut off', words.slice(0, 40)],
  ['in another text', `${'.'.repeat(700)}${words}`],
])('masks a long value that the service returns %s', async (_, echo) => {
  const message = await messageOf(`no ${echo}`, carrying(words))

  expect(message).not.toContain('word')
})

it('masks the parts of a credential that a header contains', async () => {
  const headers = {
    cookie: 'sid=cookie-value-1; theme=dark',
    'x-gateway': 'Token gateway-token-1',
    authorization: `Basic ${Buffer.from('ada:lovelace 1815').toString('base64')}`,
  }
  const message = await messageOf(
    'no cookie-value-1, gateway-token-1, lovelace 1815, dark',
    (client) => client.sessions.retrieve('s'),
    { headers },
  )

  expect(message).toBe('no [redacted],[redacted], [redacted], dark')
})

it.each([
  ['mail ada@example.test or call +44 20 7946 0958', 'mail [redacted] or call +[redacted]'],
  ['born 1815-12-10, passport X1234567', 'born [redacted], passport [redacted]'],
  ['see https://id.example.test/s/1?token=x', 'see [redacted]'],
  ['at most 8 frames of 20 MB in 12345 ms', 'at most 8 frames of 20 MB in 12345 ms'],
])('masks what looks personal in a message: %j', async (message, shown) => {
  expect(await messageOf(message, (client) => client.sessions.retrieve('s'))).toBe(shown)
})

it('masks e-mail addresses and long numbers in field errors, and keeps paths and words', async () => {
  const errors = {
    'members.0.email': ['ada@example.test is taken'],
    'members.1.svc_id': ['9876543210 is unknown'],
  }
  const { fetch } = scriptedFetch(respond(400, { error: { code: 'x', message: 'no' }, data: { errors } }))

  const error = await thrownBy(testClient({ fetch }).client.sessions.retrieve('s'))

  expect((error as Error).message).toContain(
    'no (members.0.email: [redacted] is taken; members.1.svc_id: [redacted] is unknown)',
  )
})

it('keeps an error code of the contract that the call carried too', async () => {
  const { fetch } = scriptedFetch(respond(409, { error: { code: 'already_decided', message: 'no' } }))
  const { client } = testClient({ fetch })

  await expect(client.sessions.create({ vendor_data: 'already_decided' })).rejects.toMatchObject({
    code: 'already_decided',
  })
})

it('drops an error code that is not of the contract and contains what the call carried', async () => {
  const { fetch } = scriptedFetch(respond(409, { error: { code: 'ada_lovelace_unknown', message: 'no' } }))
  const { client } = testClient({ fetch })

  await expect(client.sessions.create({ vendor_data: 'ada_lovelace' })).rejects.toMatchObject({
    code: 'http_409',
  })
})

const large = 1024 * 1024

it.each([
  ['an echo of 20 MiB', 'no', `${'a b '.repeat(5 * large)}`],
  ['a value that is as long', 'a b '.repeat(large / 5), 'a b '.repeat(large / 5)],
  ['a value of base64', 'QUJD'.repeat(large / 4), 'QUJD'.repeat(large / 4)],
  ['one repeated character', 'a'.repeat(large - 1), 'a'.repeat(large)],
  ['many escapes', '<"&'.repeat(10_000), '&lt;&quot;&amp;'.repeat(100_000)],
  ['many digits and ats', 'no', '1 @'.repeat(large / 4)],
])('masks %s in linear time', { timeout: 10_000 }, async (_, value, echo) => {
  const message = await messageOf(echo, carrying(value))

  expect(message.length).toBeLessThanOrEqual(1000)
})

it('masks one of many values in linear time', async () => {
  const values = Array.from({ length: 20_000 }, (_, i) => `person-${i}@example.test`)

  expect(await messageOf('no person-777 here, nor Ada', carrying([...values, 'person-777']))).toBe(
    'no [redacted] here, nor Ada',
  )
})

it('withholds the message of a call that carried too much text to be masked', async () => {
  expect(await messageOf('no value here', carrying('a b '.repeat(2 * large)))).toMatch(/: \[redacted\]$/)
})

import { expect, it } from 'vitest'
import type { InvalidResponseError } from '../../../src/errors.ts'
import { respond, type Step, scriptedFetch } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { apiKey, testClient } from '../../support/verification-client.ts'

/** The error of a call whose body contains a text, after one step of the fetch. */
async function errorOf(step: Step, carried = 'canary-text'): Promise<unknown> {
  const { client } = testClient({ fetch: scriptedFetch(step).fetch, maxRetries: 0 })
  return thrownBy(client.request({ method: 'POST', path: '/api/v2/other', body: { carried } }))
}

const rejection = (message: string) => respond(400, { error: { code: 'x', message } })

/** What the client adds to the service's message. */
const facts = /^request: 400 x: | \(request req_1\)$/g

const messageAfter = async (carried: string, message: string) =>
  ((await errorOf(rejection(message), carried)) as Error).message.replace(facts, '')

it.each([
  ['unchanged', 'Tom & "Jerry" <cats>', 'no Tom & "Jerry" <cats>, sorry', 'no [redacted], sorry'],
  [
    'escaped for HTML',
    'Tom & "Jerry" <cats>',
    'no Tom &amp; &quot;Jerry&quot; &lt;cats&gt;, sorry',
    'no [redacted], sorry',
  ],
  ['escaped for HTML', "Conan O'Hara", 'no Conan O&#39;Hara, sorry', 'no [redacted], sorry'],
  ['escaped for JSON', 'two\nlines "quoted"', 'no two\\nlines \\"quoted\\", sorry', 'no [redacted], sorry'],
  ['encoded for a URL', 'two words & more', 'no two%20words%20%26%20more, sorry', 'no [redacted], sorry'],
  [
    'in base64url',
    'ûïþ>>>???ÿÿÿ',
    `no ${Buffer.from('ûïþ>>>???ÿÿÿ').toString('base64url')}, sorry`,
    'no [redacted], sorry',
  ],
  ['in hexadecimal', '\tcanary', 'no 0963616e617279, sorry', 'no [redacted], sorry'],
  [
    'as escaped bytes',
    'Żółć <b>',
    String.raw`no b'\xc5\xbb\xc3\xb3\xc5\x82\xc4\x87 <b>', sorry`,
    "no b'[redacted]', sorry",
  ],
  ['encoded for a URL with a plus for a space', 'a b+c', 'no a+b%2Bc, sorry', 'no [redacted], sorry'],
  ['encoded for a URL twice, with a plus', 'a b+c', 'no a%2Bb%252Bc, sorry', 'no [redacted], sorry'],
  ['with a plus that is encoded twice', 'a b c', 'no a%252Bb%252Bc, sorry', 'no [redacted], sorry'],
  [
    'in base64, next to other letters',
    'seven77',
    `no ${Buffer.from('xseven77x').toString('base64')}, sorry`,
    'no [redacted], sorry',
  ],
  ['without its punctuation', 'ab-cd-ef-gh', 'no abcdefgh, sorry', 'no [redacted], sorry'],
  ['as an escaped Latin-1 text', 'née Åsa', String.raw`no n\xe9e \xC5sa, sorry`, 'no [redacted], sorry'],
  ['inside a longer word', 'canary99', 'no xcanary99x, sorry', 'no x[redacted]x, sorry'],
])('masks a value of the call that the service returns %s: %j', async (_, carried, message, masked) => {
  expect(await messageAfter(carried, message)).toBe(masked)
})

it.each([
  ['1984', 'in 1984, not in x1984 or 19845', 'in [redacted], not in x1984 or 19845'],
  ['seven77', 'seven77 is not xseven77', '[redacted] is not xseven77'],
  ['two', 'two is a word', 'two is a word'],
  ['to-day', 'today is not to-day', 'today is not [redacted]'],
])('masks a short value of the call as a whole word, and not inside other words: %s', async (...row) => {
  const [carried, message, masked] = row
  expect(await messageAfter(carried, message)).toBe(masked)
})

it('masks the longest of the values that start alike, so that none of its end remains', async () => {
  const { client } = testClient({
    fetch: scriptedFetch(rejection('no canary-1984-more here')).fetch,
  })
  const body = { short: 'canary-19', long: 'canary-1984-more', middle: 'canary-1984' }

  const call = client.request({ method: 'POST', path: '/api/v2/other', body })

  await expect(call).rejects.toThrow(': no [redacted] here (request')
})

it('masks the end of the 4,096 characters that are read of a message, because a value may start there', async () => {
  const carried = 'canary-text-of-30-characters-.'

  // The repetition becomes one mask, so that the end is among the 1,000 characters that are shown.
  expect(await messageAfter(carried, `${carried.repeat(136)}?${carried}`)).toBe('[redacted]')
})

it('withholds a message if the call contains more than 200,000 values', async () => {
  const errorWith = async (count: number) => {
    const { client } = testClient({ fetch: scriptedFetch(rejection('a short message')).fetch })
    const values = Array.from({ length: count }, (_, i) => i.toString(36).padStart(4, '0'))
    return thrownBy(client.request({ method: 'POST', path: '/api/v2/other', body: { values } }))
  }

  expect(await errorWith(199_000)).toMatchObject({ message: expect.stringContaining('a short message') })
  expect(await errorWith(200_001)).toMatchObject({ message: expect.stringContaining('[redacted]') })
})

it('truncates a message of any length to 1,000 characters', async () => {
  expect(await messageAfter('canary-text', 'no. '.repeat(1_000_000))).toHaveLength(1000)
})

it('masks text from the bytes of an image, as a Uint8Array or an ArrayBuffer', async () => {
  const bytes = Uint8Array.from(Buffer.from('\u0001taken by Canary Lovelace\u0002'))
  for (const image of [bytes, bytes.buffer]) {
    const { client } = testClient({
      fetch: scriptedFetch(rejection('it was taken by Canary Lovelace')).fetch,
    })

    await expect(client.checks.liveness({ image })).rejects.toThrow(': it was [redacted] (request')
  }
})

const snippetOf = async (body: string, contentType = 'application/json') =>
  ((await errorOf(respond(200, body, { 'content-type': contentType }))) as InvalidResponseError).snippet

it.each([
  ['the names of members', ' {"count" : 12, "is": "a"}', '{"count":[redacted],"is":"[redacted]"}'],
  ['true, false and null', '{"on":true,"off":false,"none":null}', '{"on":true,"off":false,"none":null}'],
  ['no item of a list', '[7, "8", [[]]]', '[[redacted],"[redacted]",[[]]]'],
  ['nothing of a number', '-7', '[redacted]'],
  ['nothing of a text', '"the name"', '"[redacted]"'],
  [
    'no name that may be a value',
    '{"Ada L":1,"ada@x":{"Ada":2}}',
    '{"[redacted]":[redacted],"[redacted]":{"[redacted]":[redacted]}}',
  ],
  [
    'no name that the call carried',
    '{"canary-text":1,"canary":2}',
    '{"[redacted]":[redacted],"canary":[redacted]}',
  ],
  ['nothing of metadata', '{"more":{"metadata":{"plan":{"name":1}}}}', '{"more":{"metadata":"[redacted]"}}'],
])('shows in a snippet of JSON %s', async (_, body, snippet) => {
  expect(await snippetOf(body)).toBe(snippet)
})

it.each([
  ['<p>Ada Lovelace</p>', 'text/html; charset=utf-8', 'not JSON: text/html, 19 bytes'],
  ["{'name': 'Ada Lovelace'}", 'application/json', 'not JSON: application/json, 24 bytes'],
  ['{"name": "Ada Lovela', 'application/problem+json', 'not JSON: application/problem+json, 20 bytes'],
  ['ü', 'text/plain', 'not JSON: text/plain, 2 bytes'],
  ['', '', 'not JSON: no content type, 0 bytes'],
  ['no', 'ada lovelace', 'not JSON: no content type, 2 bytes'],
  ['no', 'x/canary-text', 'not JSON: no content type, 2 bytes'],
])('describes a body that is not JSON, and does not quote it: %j', async (body, contentType, snippet) => {
  expect(await snippetOf(body, contentType)).toBe(snippet)
})

it.each([
  ['members', `{${Array.from({ length: 1000 }, (_, i) => `"name${i}":1`).join(',')}}`],
  ['texts', JSON.stringify(Array.from({ length: 1000 }, () => 'text'))],
  ['lists in lists', `${'['.repeat(1000)}${']'.repeat(1000)}`],
])('truncates a snippet of many %s to 512 characters', async (_, body) => {
  expect(await snippetOf(body)).toHaveLength(512)
})

it('keeps an error code that is also a value of the call, unless it looks like a key', async () => {
  const codeAfter = async (code: string, carried: string) =>
    (await errorOf(respond(400, { error: { code, message: 'no' } }), carried)) as { code: string }

  expect(await codeAfter('not_found', 'not_found')).toMatchObject({ code: 'not_found' })
  expect(await codeAfter('x-canary_text', 'canary_text')).toMatchObject({ code: 'http_400' })
  expect(await codeAfter(apiKey, 'canary-text')).toMatchObject({ code: 'http_400' })
})

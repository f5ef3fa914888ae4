import { expect, it } from 'vitest'
import { ConnectionError, type InvalidResponseError } from '../../../src/errors.ts'
import { refuseConnection, respond, type Step, scriptedFetch } from '../../support/scripted-fetch.ts'
import { apiKey, testClient } from '../../support/verification-client.ts'

/** What is thrown by a call that carries a text, when the service does this. */
async function thrownBy(step: Step, carried = 'canary-text'): Promise<unknown> {
  const { client } = testClient({ fetch: scriptedFetch(step).fetch, maxRetries: 0 })
  const call = client.request({ method: 'POST', path: '/api/v2/other', body: { carried } })
  return call.then(
    () => expect.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )
}

const refusal = (message: string, headers: Record<string, string> = {}) =>
  respond(400, { error: { code: 'x', message } }, headers)

const messageAfter = async (carried: string, message: string) =>
  ((await thrownBy(refusal(message), carried)) as Error).message

it.each([
  ['as it is', 'Tom & "Jerry" <cats>', 'no Tom & "Jerry" <cats>, sorry', 'no [redacted], sorry'],
  [
    'in a page',
    'Tom & "Jerry" <cats>',
    'no Tom &amp; &quot;Jerry&quot; &lt;cats&gt;, sorry',
    'no [redacted], sorry',
  ],
  ['in a page', "Conan O'Hara", 'no Conan O&#39;Hara, sorry', 'no [redacted], sorry'],
  ['in JSON', 'two\nlines "quoted"', 'no two\\nlines \\"quoted\\", sorry', 'no [redacted], sorry'],
  ['in a URL', 'two words & more', 'no two%20words%20%26%20more, sorry', 'no [redacted], sorry'],
  [
    'in base64url',
    'ûïþ>>>???ÿÿÿ',
    `no ${Buffer.from('ûïþ>>>???ÿÿÿ').toString('base64url')}, sorry`,
    'no [redacted], sorry',
  ],
  ['in hexadecimal', '\tcanary', 'no 0963616e617279, sorry', 'no [redacted], sorry'],
  ['in a longer word', 'canary99', 'no xcanary99x, sorry', 'no x[redacted]x, sorry'],
])('what a call carries is masked where it comes back %s: %j', async (_, carried, message, masked) => {
  expect(await messageAfter(carried, message)).toBe(masked)
})

it.each([
  ['1984', 'in 1984, not in x1984 or 19845', 'in [redacted], not in x1984 or 19845'],
  ['seven77', 'seven77 is not xseven77', '[redacted] is not xseven77'],
  ['two', 'two is a word', 'two is a word'],
])(
  'a short value that a call carries is masked as a word of its own, and not within others: %s',
  async (...row) => {
    const [carried, message, masked] = row
    expect(await messageAfter(carried, message)).toBe(masked)
  },
)

it('of values that begin alike the longest is masked, and nothing of it is left', async () => {
  const { client } = testClient({
    fetch: scriptedFetch(refusal('no canary-1984-more here')).fetch,
  })
  const body = { short: 'canary-19', long: 'canary-1984-more', middle: 'canary-1984' }

  const call = client.request({ method: 'POST', path: '/api/v2/other', body })

  await expect(call).rejects.toMatchObject({ message: 'no [redacted] here' })
})

it('a message ends after 1,000 characters, and one of any length is read in no time', async () => {
  expect(await messageAfter('canary-text', 'no. '.repeat(1_000_000))).toHaveLength(1000)
})

it('words within the bytes of an image are masked, in whatever form the bytes are given', async () => {
  const bytes = Uint8Array.from(Buffer.from('\u0001taken by Canary Lovelace\u0002'))
  for (const image of [bytes, bytes.buffer]) {
    const { client } = testClient({ fetch: scriptedFetch(refusal('it was taken by Canary Lovelace')).fetch })

    await expect(client.checks.liveness({ image })).rejects.toMatchObject({ message: 'it was [redacted]' })
  }
})

const snippetOf = async (body: string) =>
  ((await thrownBy(respond(200, body))) as InvalidResponseError).snippet

it.each([
  [
    'of a page its words and short numbers',
    '<p>Error 502, host 10.0.0.17, ref 4711</p>',
    '<p>Error 502, host [redacted], ref [redacted]</p>',
  ],
  ['of a page nothing that is in quotes', '<a id="main">Hello</a>', '<a id="[redacted]">Hello</a>'],
  [
    'of JSON the names of its members',
    ' {"count" : 12, "is": "a", "on": true',
    ' {"count" : [redacted], "is": "[redacted]", "on": true',
  ],
  ['of a list no number', '[7, 8', '[[redacted], [redacted]'],
  ['of a bare number nothing', '7 8', '[redacted] [redacted]'],
  ['of a bare negative number nothing', '-7', '[redacted]'],
  ['of a bare text nothing', '"the name', '"[redacted]"'],
  ['of words before numbers the short ones', 'busy, 7 before you', 'busy, 7 before you'],
])('a snippet shows %s', async (_, body, snippet) => {
  expect(await snippetOf(body)).toBe(snippet)
})

it.each([
  ['words', 'word '.repeat(1000)],
  ['texts', '"text" '.repeat(1000)],
  ['names', '{"name": '.repeat(1000)],
])('a snippet of many %s has 512 characters', async (_, body) => {
  expect(await snippetOf(body)).toHaveLength(512)
})

const caused =
  (cause: unknown): Step =>
  () => {
    throw new TypeError('fetch failed', { cause })
  }
const coded = (code: unknown, message = 'it broke') => Object.assign(new Error(message), { code })

it.each([
  ['ECONNRESET', ' (ECONNRESET)'],
  ['UND_ERR_SOCKET', ' (UND_ERR_SOCKET)'],
  ['A'.repeat(64), ` (${'A'.repeat(64)})`],
  ['A'.repeat(65), ''],
  ['canary-text', ''],
  ['CODE with words', ''],
  ['xECODE', ''],
  [42, ''],
  [undefined, ''],
])('a broken connection names the code %j of its cause if it is one', async (code, shown) => {
  const error = await thrownBy(() => {
    throw coded(code)
  })

  expect(error).toBeInstanceOf(ConnectionError)
  expect((error as Error).message).toBe(
    `request: the connection broke before the answer was complete${shown}`,
  )
  const { cause } = error as { cause: { code?: unknown } }
  expect(cause.code).toBe(shown === '' ? undefined : code)
})

it('a connection that nothing went out on could not be made', async () => {
  expect(((await thrownBy(refuseConnection)) as Error).message).toBe(
    'request: the connection could not be made (ECONNREFUSED)',
  )
})

it('causes keep their names, codes and words three deep, and nothing of the call or of their stacks', async () => {
  const deepest = new Error('the fourth')
  const third = Object.assign(new RangeError('saw canary-text', { cause: deepest }), { body: 'canary-text' })
  const second = Object.assign(new Error('the second', { cause: third }), { code: 'EPIPE' })

  const { cause } = (await thrownBy(caused(second))) as { cause: Error }

  const causes = [cause, cause.cause, (cause.cause as Error).cause] as (Error & { code?: string })[]
  expect(causes.map(({ name, message, code }) => ({ name, message, code }))).toEqual([
    { name: 'TypeError', message: 'fetch failed', code: undefined },
    { name: 'Error', message: 'the second', code: 'EPIPE' },
    { name: 'RangeError', message: 'saw [redacted]', code: undefined },
  ])
  expect(causes[2]?.cause).toBeUndefined()
  expect(causes.map(({ stack }) => stack)).toEqual(causes.map(({ name, message }) => `${name}: ${message}`))
  expect(Object.keys(causes[2] ?? {})).not.toContain('body')
})

it('a text that was thrown is the cause, masked; of anything else that is no error nothing is told', async () => {
  const throwing = (thing: unknown) => () => {
    throw thing
  }
  expect(await thrownBy(throwing('saw canary-text'))).toMatchObject({ cause: 'saw [redacted]' })
  expect(await thrownBy(throwing({ saw: 'canary-text' }))).not.toHaveProperty('cause')
})

const requestIdAfter = async (carried: string, id: string) =>
  ((await thrownBy(refusal('no', { 'x-request-id': id }), carried)) as { requestId?: string }).requestId

it.each([
  'req_1',
  'a'.repeat(200),
  '8f14e45f-ceea-467f-ab1f-7a2b0c3d4e5f',
  Buffer.from('another text than ours').toString('base64'),
  Buffer.from('another text than ours').toString('hex'),
])('a request id is told as it came: %s', async (id) => {
  expect(await requestIdAfter('canary-text', id)).toBe(id)
})

it.each([
  ['holds what the call carries', 'canary-text', 'req_canary-text'],
  ['holds it in upper case', 'canary-text', 'REQ_CANARY-TEXT'],
  ['is it in hexadecimal', 'canary-text', Buffer.from('canary-text').toString('hex')],
  [
    'is it in hexadecimal, after an odd digit',
    'canary-text',
    `f${Buffer.from('canary-text').toString('hex')}`,
  ],
  ['is it in base64', 'canary-text', Buffer.from('canary-text').toString('base64')],
  [
    'is it in base64 after one more letter',
    'canary-text',
    `x${Buffer.from('canary-text').toString('base64')}`,
  ],
  ['is it in base64 after two more bytes', 'canary-text', Buffer.from('..canary-text').toString('base64')],
  ['is it in base64url', 'so~~~?>ooo', Buffer.from('so~~~?>ooo').toString('base64url')],
  ['is longer than any id', 'canary-text', 'a'.repeat(201)],
  ['has spaces in it', 'canary-text', 'one two'],
])('a request id that %s is none', async (_, carried, id) => {
  expect(await requestIdAfter(carried, id)).toBeUndefined()
})

it('a short value that a call carries may stand in a request id', async () => {
  expect(await requestIdAfter('abcdefg', 'req_abcdefg')).toBe('req_abcdefg')
  expect(await requestIdAfter('abcdefgh', 'req_abcdefgh')).toBeUndefined()
})

it('an error code that a request happens to hold is told, unless it has what keys are made of', async () => {
  const codeAfter = async (code: string, carried: string) =>
    (await thrownBy(respond(400, { error: { code, message: 'no' } }), carried)) as { code: string }

  expect(await codeAfter('not_found', 'not_found')).toMatchObject({ code: 'not_found' })
  expect(await codeAfter('x-canary_text', 'canary_text')).toMatchObject({ code: 'http_400' })
  expect(await codeAfter(apiKey, 'canary-text')).toMatchObject({ code: 'http_400' })
})

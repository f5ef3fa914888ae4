import { expect, it } from 'vitest'
import { ApiError } from '../../../src/errors.ts'
import { scriptedFetch } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

const rejection = JSON.stringify({ error: { code: 'x', message: 'no' } })

/** The request id on the error of a call whose body contains a text, if the response has these headers. */
async function requestIdFrom(headers: Record<string, string>, carried: string): Promise<string | undefined> {
  const { fetch } = scriptedFetch(() => new Response(rejection, { status: 400, headers }))
  const { client } = testClient({ fetch })
  const error = await thrownBy(client.request({ method: 'POST', path: '/api/v2/other', body: { carried } }))
  expect(error).toBeInstanceOf(ApiError)
  return (error as ApiError).requestId
}

const requestIdAfter = (carried: string, id: string) => requestIdFrom({ 'x-request-id': id }, carried)

it.each([
  'req_1',
  'a'.repeat(200),
  '8f14e45f-ceea-467f-ab1f-7a2b0c3d4e5f',
  Buffer.from('another text than ours').toString('base64'),
  Buffer.from('another text than ours').toString('hex'),
])('returns a request id unchanged: %s', async (id) => {
  expect(await requestIdAfter('canary-text', id)).toBe(id)
})

it.each([
  ['contains a value of the call', 'canary-text', 'req_canary-text'],
  ['contains it in upper case', 'canary-text', 'REQ_CANARY-TEXT'],
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
  ['contains it encoded for a URL', 'two words & more', 'req_two%20words%20%26%20more'],
  ['contains it as a form encodes it', 'two words & more', 'req_two+words+%26+more'],
  ['contains it escaped for HTML', "Conan O'Hara", 'req_Conan&nbsp;O&#39;Hara'],
  ['contains it escaped for JSON', 'canary-text', String.raw`req_\u0063anary-t\u0065xt`],
  ['contains it with other punctuation', 'Canary Text, 12', 'get-canary_text_12-1'],
  ['contains it without punctuation', 'canary@text.test', 'req_canarytexttest'],
  ['contains 16 characters of it', 'canary-text-of-a-longer-value', 'req_text-of-a-longer'],
  ['is a date of the call, between letters', '12/04/85', 'r12/04/85'],
  ['is longer than any id', 'canary-text', 'a'.repeat(201)],
  ['contains a space', 'canary-text', 'one two'],
])('drops a request id that %s', async (_, carried, id) => {
  expect(await requestIdAfter(carried, id)).toBeUndefined()
})

it('keeps a request id that contains a value of the call of less than 8 characters', async () => {
  expect(await requestIdAfter('abcdefg', 'req_abcdefg')).toBe('req_abcdefg')
  expect(await requestIdAfter('req_123', 'req_123')).toBe('req_123')
  expect(await requestIdAfter('abcdefgh', 'req_abcdefgh')).toBeUndefined()
})

it('an error has no request id if the header is absent or empty', async () => {
  expect(await requestIdFrom({}, 'canary-text')).toBeUndefined()
  expect(await requestIdFrom({ 'x-request-id': '' }, 'canary-text')).toBeUndefined()
})

it('compares a request id with values of at most 4,096 characters', async () => {
  const id = 'req_of-a-long-text'

  expect(await requestIdAfter(`${'~'.repeat(4096 - id.length)}${id}`, id)).toBeUndefined()
  expect(await requestIdAfter(`${'~'.repeat(4097 - id.length)}${id}`, id)).toBe(id)
})

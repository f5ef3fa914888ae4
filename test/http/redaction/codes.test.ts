import { expect, it } from 'vitest'
import type { ApiError } from '../../../src/errors.ts'
import { respond, scriptedFetch } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

/** The code on the error of a call, if the service returns this code. */
async function codeAfter(code: string): Promise<string> {
  const { fetch } = scriptedFetch(respond(400, { error: { code, message: 'no' } }))
  const call = testClient({ fetch }).client.request({ method: 'GET', path: '/api/v2/other' })
  return ((await thrownBy(call)) as ApiError).code
}

it.each([
  'new_code',
  'E.42:new-code',
  'a'.repeat(64),
  'a_code_of_many_words_that_is_longer_than_opaque_texts',
])('keeps a code of an error that the contract does not list: %s', async (code) => {
  expect(await codeAfter(code)).toBe(code)
})

it.each([
  ['is a sentence', 'Ada Lovelace is unknown'],
  ['starts with other characters', '?code'],
  ['ends with other characters', 'code?'],
  ['is longer than 64 characters', 'a'.repeat(65)],
  ['starts with a number as long as that of a document', '1234567_code'],
  ['ends with a number as long as that of a document', 'code_1234567'],
  ['is opaque', 'Az09'.repeat(12)],
])('replaces a code by the status if it %s: %s', async (_, code) => {
  expect(await codeAfter(code)).toBe('http_400')
})

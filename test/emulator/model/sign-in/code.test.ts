import { expect, it } from 'vitest'
import { invalidGrant, pkce, sharedSignIn, verifier } from '../../support/sign-in.ts'

// Sections 4.7, 5 and 8: the exchange of a code

const { codeFor, emulator, exchange } = await sharedSignIn()

it('a code can be exchanged once, also by concurrent requests', async () => {
  const code = codeFor()

  const responses = await Promise.all([exchange(code), exchange(code), exchange(code)])

  expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect(await exchange(code)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant', error_description: expect.any(String) },
  })
})

it.each<[what: string, wrong: object]>([
  ['verifier', { code_verifier: `${verifier}x` }],
  ['redirect_uri', { redirect_uri: 'https://app.example/other', code_verifier: verifier }],
])('a code cannot be used again after an exchange with another %s', async (_, wrong) => {
  const code = codeFor(pkce)
  await exchange(code, wrong)

  expect(await exchange(code, { code_verifier: verifier })).toMatchObject(invalidGrant)
})

it('a reset of the emulator ends codes', async () => {
  const code = codeFor()

  emulator.reset()

  expect(await exchange(code)).toMatchObject(invalidGrant)
})

it.each<[expected: number, what: string, ms: number, over: object]>([
  [200, 'just under 2 minutes old', 119_999, { code_verifier: verifier }],
  [400, '2 minutes old', 120_000, { code_verifier: verifier }],
  [400, 'sent with another verifier', 0, { code_verifier: 'x'.repeat(43) }],
  [400, 'sent without its verifier', 0, {}],
  [400, 'sent with another redirect_uri', 0, { code_verifier: verifier, redirect_uri: 'https://app.example/other' }],
])('gives %i for a code that is %s', async (expected, _, ms, over) => {
  const code = codeFor(pkce)
  await emulator.clock.advance(ms)

  const { body, status } = await exchange(code, over)

  expect([status, body.error]).toEqual([expected, expected === 400 ? 'invalid_grant' : undefined])
})

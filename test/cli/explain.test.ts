import { readFileSync } from 'node:fs'
// Misspelled on purpose: cspell:ignore alredy missmatch unknwon

import { expect, it } from 'vitest'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import { ownCodes, ownReasons } from '../../src/errors/catalog.ts'
import { describeErrorCode } from '../../src/index.ts'
import { runCli } from './terminal.ts'

const noNetwork = () => {
  throw new Error('A request was sent')
}

it('explains a code: its statuses, its meaning, who can act and whether to retry', async () => {
  const { status, stdout, stderr } = await runCli('explain invalid_grant', { fetch: noNetwork })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('400, 401')
  expect(stdout).toContain(errorCatalog().invalid_grant.meaning)
  expect(stdout).toMatch(/who acts +\w/)
  expect(stdout).toMatch(/retry +\w/)
})

it('explains every code of the service and every code and reason of this package as JSON', async () => {
  const codes = [errorCatalog(), ownCodes, ownReasons].flatMap((known) => Object.keys(known))
  expect(codes).toEqual(
    expect.arrayContaining([
      'already_decided',
      'outcome_unknown',
      'connection_failed',
      'body_not_raw',
      'state_mismatch',
    ]),
  )
  for (const code of codes) {
    const { status, stdout } = await runCli(`explain ${code} --json`)
    const { statuses, meaning, advice } = describeErrorCode(code) ?? {}
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { code, known: true, statuses, meaning, ...advice }])
  }
})

it.each([
  'body_incomplete',
  'body_not_raw',
  'body_too_large',
  'invalid_payload',
  'malformed_header',
  'missing_header',
  'signature_mismatch',
  'timestamp_out_of_tolerance',
  'webhook_refused',
])('says of a rejected webhook how to get it again, and not to send it: %s', async (code) => {
  const { stdout } = await runCli(`explain ${code}`)
  expect(stdout).toContain('  not by your app: resend the delivery from the developer console')
  if (code === 'signature_mismatch') return
  expect(stdout).not.toContain('send it at another time')
  expect(stdout).not.toContain('after the input or the state has changed')
})

it.each([
  ['402', 'The wallet balance is exhausted. Add funds to the wallet.'],
  ['http_402', 'The wallet balance is exhausted. Add funds to the wallet.'],
])('says first that the wallet is empty, and that its operator has to act: %s', async (code, meaning) => {
  const { stdout } = await runCli(`explain ${code}`)
  expect(stdout).toContain(`meaning   ${meaning}\n`)
  expect(stdout).toContain('who acts  the operator of the account')
  expect(stdout).toContain('retry     only after the input or the state has changed')
})

it.each([
  'store_failed',
  'invalid_response',
  'timestamp_out_of_tolerance',
  'not_yet_valid',
  'issued_in_future',
  'undecryptable',
])('says that the app has to act, and not the operator of the service: %s', async (code) => {
  const { stdout } = await runCli(`explain ${code}`)
  expect(stdout).toContain('who acts  the developer or the operator of your app')
})

it.each([
  ['404', 'The resource does not exist, or belongs to another project. The response has status 404 and no'],
  ['503', 'The service failed. The response has status 503 and no'],
  ['418', 'The response has status 418 and no'],
])('explains the category of status %s before a proxy', async (code, meaning) => {
  expect((await runCli(`explain ${code}`)).stdout).toContain(`meaning   ${meaning}`)
})

it('names the page that lists all codes, if no code is similar', async () => {
  const { stderr } = await runCli('explain qqqqqqqqqqqqqqqqqq')

  const [, page = ''] = /(\S+) in the package lists all codes/.exec(stderr) ?? []
  const listed = readFileSync(page, 'utf8')
  for (const code of Object.keys(errorCatalog())) expect(listed).toContain(code)
  expect(stderr).toContain('explain already_decided')
})

it.each(['http_404', '404'])('explains a response without a code: %s', async (code) => {
  const { status, stdout } = await runCli(`explain ${code}`)
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^http_404\n {2}status {4}404\n/)])
})

it('explains both meanings of a name that is a code of the service and a reason of this package', async () => {
  const { stdout } = await runCli('explain expired')
  const json = await runCli('explain expired --json')
  expect(stdout).toContain(errorCatalog().expired.meaning)
  expect(stdout).toContain(ownReasons.expired.meaning)
  expect(JSON.parse(json.stdout).as_reason).toEqual({
    meaning: ownReasons.expired.meaning,
    ...ownReasons.expired.advice,
  })
})

it('states that an error is one of this package', async () => {
  expect((await runCli('explain outcome_unknown')).stdout).toContain('status    none: the error is one of this package')
})

it('says so if the contract gives no status for a code', async () => {
  expect((await runCli('explain session_not_found')).stdout).toContain('not documented by the service')
})

it.each([
  ['alredy_decided', 'already_decided'],
  ['ALREADY_DECIDED ', undefined],
  ['api_key', 'invalid_api_key'],
  ['rate_limit', 'rate_limited'],
  ['outcome_unknwon', 'outcome_unknown'],
  ['body_not_rw', 'body_not_raw'],
  ['state_missmatch', 'state_mismatch'],
])('suggests for %j the similar code %s', async (code, suggestion) => {
  const { status, stdout, stderr } = await runCli(['explain', code])
  expect(status).toBe(suggestion === undefined ? 0 : 1)
  if (suggestion !== undefined) expect([stdout, stderr]).toEqual(['', expect.stringContaining(suggestion)])
})

it.each(['qqqqqqqqqqqqqqqqqq', 'toString', '__proto__', 'x'.repeat(100_000)])(
  'reports %.20s as unknown, and suggests at most one code',
  async (code) => {
    const { status, stdout } = await runCli(['explain', code, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ known: false })
    expect(JSON.parse(stdout).suggestions.length).toBeLessThanOrEqual(1)
  },
)

it.each(['timeout', 'connection_failed'])(
  'explains that a write must be checked before it is sent again: %s',
  async (code) => {
    const { stdout } = await runCli(`explain ${code}`)
    expect(stdout).toContain('A write with `mayHaveArrived` may have been executed: check before')
    expect(stdout).toMatch(/retry .*another write only if it was not executed/)
  },
)

import { expect, it } from 'vitest'
import { errorCatalog } from '../../src/errors.ts'
import { runCli } from './terminal.ts'

const noNetwork = () => {
  throw new Error('A request was sent')
}

it('explains a code: its statuses, its meaning, who can act and whether to retry', async () => {
  const { status, stdout, stderr } = await runCli('explain invalid_grant', { fetch: noNetwork })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('400, 401')
  expect(stdout).toContain(errorCatalog.invalid_grant.meaning)
  expect(stdout).toMatch(/who acts +\w/)
  expect(stdout).toMatch(/retry +\w/)
})

it('explains every code of the catalog as JSON', async () => {
  for (const [code, { statuses, meaning, advice }] of Object.entries(errorCatalog)) {
    const { status, stdout } = await runCli(`explain ${code} --json`)
    expect([status, JSON.parse(stdout)]).toEqual([0, { code, known: true, statuses, meaning, ...advice }])
  }
})

it('says so if the contract gives no status for a code', async () => {
  expect((await runCli('explain session_not_found')).stdout).toContain('not documented by the service')
})

it.each([
  ['alredy_decided', 'already_decided'],
  ['ALREADY_DECIDED ', undefined],
  ['api_key', 'invalid_api_key'],
  ['rate_limit', 'rate_limited'],
])('suggests for %j the similar code %s', async (code, suggestion) => {
  const { status, stdout, stderr } = await runCli(['explain', code])
  expect(status).toBe(suggestion === undefined ? 0 : 1)
  if (suggestion !== undefined) expect([stdout, stderr]).toEqual(['', expect.stringContaining(suggestion)])
})

it.each(['qqqqqqqqqqqqqqqqqq', 'toString', '__proto__', 'x'.repeat(100_000)])(
  'reports %.20s as unknown, and suggests at most five codes',
  async (code) => {
    const { status, stdout } = await runCli(['explain', code, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ known: false })
    expect(JSON.parse(stdout).suggestions.length).toBeLessThanOrEqual(5)
  },
)

it('prints no control characters of the code', async () => {
  const { stderr } = await runCli(['explain', 'a\u001b[2Jb\u202ec'])
  expect(stderr).toContain('a·[2jb·c')
})

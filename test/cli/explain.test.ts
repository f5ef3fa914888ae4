import { expect, it } from 'vitest'
import { errorCatalog } from '../../src/errors.ts'
import { type } from './terminal.ts'

const noNetwork = () => {
  throw new Error('the network was asked')
}

it('explains a code: its statuses, its meaning, who can act and whether to try again', async () => {
  const { status, stdout, stderr } = await type('explain invalid_grant', { fetch: noNetwork })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('400, 401')
  expect(stdout).toContain(errorCatalog.invalid_grant.meaning)
  expect(stdout).toMatch(/who +\w/)
  expect(stdout).toMatch(/again +\w/)
})

it('explains every code of the catalogue as JSON', async () => {
  for (const [code, { statuses, meaning, advice }] of Object.entries(errorCatalog)) {
    const { status, stdout } = await type(`explain ${code} --json`)
    expect([status, JSON.parse(stdout)]).toEqual([0, { code, known: true, statuses, meaning, ...advice }])
  }
})

it('says where the contract gives no status', async () => {
  expect((await type('explain session_not_found')).stdout).toContain('the contract gives none')
})

it.each([
  ['alredy_decided', 'already_decided'],
  ['ALREADY_DECIDED ', undefined],
  ['api_key', 'invalid_api_key'],
  ['rate_limit', 'rate_limited'],
])('suggests what %j may have meant: %s', async (code, suggestion) => {
  const { status, stdout, stderr } = await type(['explain', code])
  expect(status).toBe(suggestion === undefined ? 0 : 1)
  if (suggestion !== undefined) expect([stdout, stderr]).toEqual(['', expect.stringContaining(suggestion)])
})

it.each(['qqqqqqqqqqqqqqqqqq', 'toString', '__proto__', 'x'.repeat(100_000)])(
  'knows no code %.20s, and suggests nothing far off',
  async (code) => {
    const { status, stdout } = await type(['explain', code, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ known: false })
    expect(JSON.parse(stdout).suggestions.length).toBeLessThanOrEqual(5)
  },
)

it('prints nothing that a terminal would obey', async () => {
  const { stderr } = await type(['explain', 'a\u001b[2Jb\u202ec'])
  expect(stderr).toContain('a·[2jb·c')
})

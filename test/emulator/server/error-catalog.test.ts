import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { application, overHttp, redirectUri } from '../support/service.ts'

const { call, emulator, raw } = await overHttp({}, afterAll)

// Section 7

/** Reads each code with its statuses, as the contract lists them. */
function readCatalog(): { code: string; statuses: number[] }[] {
  const statusesOf = new Map<string, Set<number>>()
  for (const line of readFileSync(new URL('error-catalog.md', import.meta.url), 'utf8').split('\n')) {
    const [, code, statuses] = /^\| ([a-z0-9_]+) +\| ([\d, -]+?) +\|$/.exec(line) ?? []
    if (code === undefined) continue
    const listed = statuses?.match(/\d+/g) ?? []
    statusesOf.set(code, new Set([...(statusesOf.get(code) ?? []), ...listed.map(Number)]))
  }
  return [...statusesOf].map(([code, statuses]) => ({ code, statuses: [...statuses] }))
}

const catalog = readCatalog()

it('error-catalog.md has 154 codes, 16 of them without a status', () => {
  expect(catalog).toHaveLength(154)
  expect(catalog.filter(({ statuses }) => statuses.length === 0)).toHaveLength(16)
})

it.each(catalog.filter(({ statuses }) => statuses.length > 0))(
  'a fault returns $code with each status of the contract, and with the first one by default: $statuses',
  async ({ code, statuses }) => {
    for (const status of statuses) {
      emulator.faults.add({ match: 'GET /api/v2/session', status, code: { unlisted: code } })
      const response = await call('GET', '/api/v2/session')
      expect([response.status, response.error?.code]).toEqual([status, code])
      expect(response.error?.message).toMatch(/\w+ \w+/)
    }

    emulator.faults.add({ match: 'GET /api/sdk/members', code: { unlisted: code } })
    const byDefault = await call('GET', '/api/sdk/members')
    expect([byDefault.status, byDefault.error?.code]).toEqual([statuses[0], code])
  },
)

it.each(['invalid_grant', 'server_error', 'rate_limited', 'misconfigured'])(
  'a fault of the token endpoint returns %s in the form of RFC 6749',
  async (code) => {
    emulator.faults.add({ match: 'POST /api/auth/oidc/token', status: 500, code: { unlisted: code } })

    const { status, text } = await raw('POST', '/api/auth/oidc/token', {
      json: { grant_type: 'authorization_code', ...application, code: 'c', redirect_uri: redirectUri },
    })

    expect(status).toBe(500)
    expect(JSON.parse(text)).toEqual({ error: code, error_description: expect.any(String) })
  },
)

it.each([400, 401, 402, 403, 404, 409, 410, 413, 422, 423, 429, 500, 502, 503])(
  'a fault returns the category %i',
  async (status) => {
    emulator.faults.add({ match: 'POST /api/v2/liveness', status })

    expect((await call('POST', '/api/v2/liveness', { json: { image: 'AAAA' } })).status).toBe(status)
  },
)

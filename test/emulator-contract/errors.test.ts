import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { application, listening, redirectUri } from './over-http.ts'

const { call, emulator, raw } = await listening({}, afterAll)

// Section 7

/** Each code with each of its statuses. */
const catalogue = readFileSync(new URL('error-catalogue.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, code, statuses] = /^\| ([a-z0-9_]+) +\| ([\d, -]+?) +\|$/.exec(line) ?? []
    return code === undefined ? [] : [{ code, statuses: (statuses?.match(/\d+/g) ?? []).map(Number) }]
  })

it('the catalogue was read whole', () => {
  expect(new Set(catalogue.map(({ code }) => code)).size).toBe(154)
  expect(catalogue.filter(({ statuses }) => statuses.length === 0)).toHaveLength(16)
})

it.each(catalogue.filter(({ statuses }) => statuses.length > 0))(
  '$code can be met, with each status that the contract gives it ($statuses)',
  async ({ code, statuses }) => {
    for (const status of statuses) {
      emulator.faults.add({ match: 'GET /api/v2/session', status, code })
      const answer = await call('GET', '/api/v2/session')
      expect([answer.status, answer.error?.code]).toEqual([status, code])
      expect(answer.error?.message).toMatch(/\w+ \w+/)
    }

    emulator.faults.add({ match: 'GET /api/sdk/members', code })
    const byItself = await call('GET', '/api/sdk/members')
    expect(byItself.error?.code).toBe(code)
    expect(statuses).toContain(byItself.status)
  },
)

it.each(['invalid_grant', 'server_error', 'rate_limited', 'misconfigured'])(
  'the token endpoint gives %s in its own form',
  async (code) => {
    emulator.faults.add({ match: 'POST /api/auth/oidc/token', status: 500, code })

    const { status, text } = await raw('POST', '/api/auth/oidc/token', {
      json: { grant_type: 'authorization_code', ...application, code: 'c', redirect_uri: redirectUri },
    })

    expect(status).toBe(500)
    expect(JSON.parse(text)).toEqual({ error: code, error_description: expect.any(String) })
  },
)

it.each([400, 401, 402, 403, 404, 409, 410, 413, 422, 423, 429, 500, 502, 503])(
  'the category %i can be met',
  async (status) => {
    emulator.faults.add({ match: 'POST /api/v2/liveness', status })

    expect((await call('POST', '/api/v2/liveness', { json: { image: 'AAAA' } })).status).toBe(status)
  },
)

// The contract lists the code without a status.
it.each([
  ['GET', '/api/v2/no-such-path'],
  ['PUT', '/api/v2/session'],
  ['GET', '/api/v2/liveness'],
  ['GET', '/api/sdk/no-such-path'],
  ['POST', '/api/v1/session'],
])('%s %s is 404 endpoint_not_found', async (method, path) => {
  const { status, error } = await call(method, path)

  expect([status, error?.code]).toEqual([404, 'endpoint_not_found'])
})

import { expect, it } from 'vitest'
import * as z from 'zod'
import { readings as schemaOfReadings } from '../../src/emulator/model/options/readings.ts'
import { createEmulator } from '../../src/emulator.ts'
import { holder, nurse } from '../emulator/support/checks.ts'
import { rosterOf } from '../emulator/support/roster.ts'
import { application, inProcess, redirectUri } from '../emulator/support/service.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/reference/emulator-behavior.md'
const readings = 'Readings of the contract'
const guide = documentedCode('docs/reference/emulator-behavior.md')

type Service = ReturnType<typeof inProcess>

/** What the emulator does where the contract is definite: a word of the row that says so, and what shows it. */
const deviations: readonly [row: string, observed: (service: Service) => unknown, expected: unknown][] = [
  [
    'license lookup',
    async ({ post }) => (await post('/api/v2/credential-verification', { ...nurse, full_name: holder })).status,
    200,
  ],
  [
    'callback',
    async ({ post }) => (await post('/api/v2/session', { callback: 'http://localhost:1/hook' })).status,
    200,
  ],
  [
    'redirect_uri',
    () => {
      const { signIn, options } = createEmulator()
      const uri = 'http://localhost:4000/elsewhere'
      const query = {
        client_id: `${options.oidc.clientId}`,
        redirect_uri: uri,
        response_type: 'code',
        scope: 'openid',
        state: 's',
      }
      return signIn
        .approve(`${options.oidc.baseUrl}/api/auth/oidc/authorize?${new URLSearchParams(query)}`)
        .startsWith(uri)
    },
    true,
  ],
  [
    'token endpoint',
    async ({ raw }) => {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        ...application,
        code: 'c',
        redirect_uri: redirectUri,
      })
      return JSON.parse((await raw('POST', '/api/auth/oidc/token', { body })).text).error
    },
    'invalid_grant',
  ],
  [
    'names of a member',
    async (service) => (await rosterOf(service).add([{ email: 'a@example.com' }])).data.created[0]?.first_name,
    null,
  ],
  [
    'found by email',
    async (service) => {
      await rosterOf(service).add([{ email: 'a@example.com' }])
      return (await service.post<{ found: boolean }>('/api/sdk/members/resolve', { email: 'A@EXAMPLE.COM' })).data.found
    },
    true,
  ],
  [
    'invite_method',
    async ({ post }) => {
      const params = { members: [{ email: 'a@example.com' }], notify: false, invite: 'email' }
      const { data } = await post<{ created: { invite_method: string }[] }>('/api/sdk/members', params)
      return data.created[0]?.invite_method
    },
    'none',
  ],
  [
    'expected point',
    async ({ post }) =>
      (await post('/api/v2/location', { latitude: 1, longitude: 2, expected_latitude: 1 })).error?.code,
    'validation_error',
  ],
  [
    'missing_dob',
    async ({ post }) => (await post('/api/v2/age-verification', { bands: [18] })).error?.code,
    'validation_error',
  ],
]

it.each(deviations)(
  'the page lists what the emulator does unlike the contract: %s',
  async (row, observed, expected) => {
    const listed = columnOf(page, 'Deviations from the contract').filter((point) => point.includes(row))

    expect(await observed(inProcess())).toEqual(expected)
    expect(listed).toHaveLength(1)
  },
)

it('the table of readings lists every reading with its values, the default first', () => {
  const { properties = {} } = z.toJSONSchema(schemaOfReadings, { io: 'input' })
  const values = columnOf(page, readings, 2)
  const documented = columnOf(page, readings).map((name, i) => [name, values[i]])

  expect(documented).toEqual(
    Object.entries(properties).map(([name, schema]) => [name, Object(schema).enum.map(String).join(', ')]),
  )
})

it('the assertions about readings hold', async () => {
  await expect(guide.run(readings)).resolves.toBe('')
})

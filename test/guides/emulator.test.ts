import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { readings as schemaOfReadings } from '../../src/emulator/model/options/readings.ts'
import { scenarios } from '../../src/emulator/model/sessions/scenarios.ts'
import { createEmulator } from '../../src/emulator.ts'
import { OrgClient, VerificationClient } from '../../src/index.ts'
import { runCli, temporaryFolder } from '../cli/terminal.ts'
import { holder, nurse } from '../emulator/support/checks.ts'
import { rosterOf } from '../emulator/support/roster.ts'
import { application, inProcess, redirectUri } from '../emulator/support/service.ts'
import { documentedCode } from '../support/documented-code.ts'
import { sourceOf } from '../support/source-files.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/guides/emulator.md'
const guide = documentedCode('docs/guides/emulator.md')
const reference = 'docs/reference/emulator.md'
const referenceCode = documentedCode('docs/reference/emulator.md')
const readings = 'Readings of the contract'

it.each(['Control it from any language', 'Save the state and go back to it'])(
  'the assertions under "%s" hold',
  async (name) => {
    expect(await guide.runAlone(name)).toBe('')
  },
)

it('the guide names every scenario', () => {
  expect(Object.keys(scenarios).filter((name) => !sourceOf(page).includes(`\`${name}\``))).toEqual([])
})

it('the configuration in the guide is valid, and the commands in it have options that exist', async () => {
  const section = 'Run it from the command line'
  const file = join(await temporaryFolder(), 'emulator.json')
  await writeFile(file, blockOf(page, 'json', section))
  const command = ['dev', '--port', '0', '--config', file, '--', process.execPath, '--version']
  const { stdout: help } = await runCli('emulator --help')
  const [, text = ''] = sourceOf(page).split(`## ${section}`)
  const options = new Set(text.split(/^## /m)[0]?.match(/(?<=[ `])--[a-z][a-z-]*/g))

  expect((await runCli(command, { env: process.env })).status).toBe(0)
  expect([...options].filter((option) => !help.includes(option))).toEqual([])
  expect(options.size).toBeGreaterThan(8)
})

it('the members, users, licenses and wallet of the configuration are those of the emulator', async () => {
  const { faults, webhookFaults, checks, ...config } = JSON.parse(blockOf(page, 'json', 'Run it from the command line'))
  const emulator = createEmulator(config)
  const { license_number, license_state, provider_code, holder, expires_at } = config.licenses[0]
  const client = new VerificationClient(emulator.options.verification)
  const lookup = { license_number, license_state, provider_code, full_name: holder }

  const { check } = await client.checks.credential(lookup)
  const { member } = await new OrgClient(emulator.options.org).members.resolve({ email: config.users[0].email })

  expect(check).toMatchObject({ status: 'passed', data: { license: { expires_at } } })
  expect(member).toMatchObject(config.members[0])
  expect(emulator.ledger).toMatchObject([{ amount: config.wallet.pricePerCall }])
})

it('the table of controls lists every control with its summary', async () => {
  const response = await createEmulator().at('http://127.0.0.1:1')('http://127.0.0.1:1/_emulator/api/openapi.json')
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, { summary: string }>> }
  const controls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => [`${method.toUpperCase()} ${path}`, summary]),
  )
  const [names, summaries] = [0, 1].map((index) => columnOf(reference, 'Controls', index))

  expect(new Map(names?.map((name, i) => [name, summaries?.[i]]))).toEqual(new Map(controls as [string, string][]))
})

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
    const listed = columnOf(reference, 'Deviations from the contract').filter((point) => point.includes(row))

    expect(await observed(inProcess())).toEqual(expected)
    expect(listed).toHaveLength(1)
  },
)

it('the table of readings lists every reading with its values, the default first', () => {
  const { properties = {} } = z.toJSONSchema(schemaOfReadings, { io: 'input' })
  const values = columnOf(reference, readings, 2)
  const documented = columnOf(reference, readings).map((name, i) => [name, values[i]])

  expect(documented).toEqual(
    Object.entries(properties).map(([name, schema]) => [name, Object(schema).enum.map(String).join(', ')]),
  )
})

it('the assertions about readings hold', async () => {
  await expect(referenceCode.run(readings)).resolves.toBe('')
})

import { expect, it } from 'vitest'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'
import { ConfigurationError } from '../../src/errors/sdk-error.ts'
import { emulated } from './emulated.ts'
import { oneOfEach, organization } from './organization.ts'

const bodies: Record<string, unknown> = {
  'members.resolve': { email: 'link_sent@example.com' },
  'members.add': { members: [{ email: 'new@example.com' }] },
}

it.each(organizationEndpoints.map((endpoint) => [endpoint.operation, endpoint] as const))(
  'serves %s with an answer of the declared shape',
  async (operation, endpoint) => {
    const { emulator, call } = organization({ members: oneOfEach })
    const path = endpoint.path.replace('/api/sdk', '').replace('{member_id}', 'link_sent@example.com')

    const reply = await call(endpoint.method, path, bodies[operation])

    expect(reply).toMatchObject({ success: true, error: null })
    expect(reply.status).toBe(operation === 'members.add' ? 201 : 200)
    const payload = endpoint.unwrap ? (reply.data as Record<string, unknown>)[endpoint.unwrap] : reply.data
    expect(endpoint.response.issues(payload)).toEqual([])
    expect(emulator.requests.at(-1)?.operation).toBe(operation)
  },
)

it.each([
  ['no credentials', { 'x-client-id': '', 'x-client-secret': '' }],
  ['another id', { 'x-client-id': 'other' }],
  ['another secret', { 'x-client-secret': 'other' }],
  ['an API key alone', { 'x-api-key': 'emulator_api_key', 'x-client-id': '', 'x-client-secret': '' }],
])('refuses %s with 401 invalid_client', async (_, headers) => {
  const { call } = organization()
  expect(await call('GET', '/members', undefined, headers)).toMatchObject({
    status: 401,
    success: false,
    data: null,
    error: { code: 'invalid_client' },
  })
})

it('takes no organization credentials on the verification API', async () => {
  const { call } = emulated()
  const headers = {
    'x-api-key': '',
    'x-client-id': 'emulator_client_id',
    'x-client-secret': 'emulator_client_secret',
  }
  expect(await call('GET', '/api/v2/session', { headers })).toMatchObject({ status: 401 })
})

it('takes credentials and a name of your own', async () => {
  const { emulator, call } = organization({
    org: { clientId: 'mine', clientSecret: 'whisper', name: 'Analytical Engines' },
  })

  const mine = { 'x-client-id': 'mine', 'x-client-secret': 'whisper' }
  expect((await call('GET', '/members', undefined, mine)).data).toMatchObject({
    members: [],
    organization: { name: 'Analytical Engines' },
  })
  expect((await call('GET', '/members')).status).toBe(401)
  expect(emulator.options.org).toMatchObject({ clientId: 'mine', clientSecret: 'whisper' })
})

it.each<[string, EmulatorOptions]>([
  ['a blank client id', { org: { clientId: '' } }],
  ['a blank client secret', { org: { clientSecret: ' ' } }],
  ['a blank name', { org: { name: '' } }],
  ['a price that is no number', { org: { billing: { pricePerSeat: Number.NaN } } }],
  ['a balance that is no number', { org: { billing: { balance: Number.POSITIVE_INFINITY } } }],
  ['a member without an email', { members: [{ email: '' }] }],
  ['one email twice', { members: [{ email: 'ada@example.com' }, { email: 'Ada@example.com' }] }],
  [
    'one identity twice',
    {
      members: [
        { email: 'a@example.com', svc_id: 'svc_1' },
        { email: 'b@example.com', svc_id: 'svc_1' },
      ],
    },
  ],
])('refuses %s', (_, options) => {
  expect(() => createEmulator(options)).toThrow(ConfigurationError)
})

it('begins with the members that it is told', async () => {
  const { list, emulator } = organization({ members: oneOfEach })

  const members = await list()

  expect(members.map(({ status, active }) => [status, active])).toEqual([
    ['invited', false],
    ['link_sent', false],
    ['active', true],
    ['deactivated', false],
  ])
  expect(members.map(({ svc_id }) => svc_id !== null)).toEqual([false, false, true, true])
  expect(emulator.members.activationLink('link_sent@example.com')).toMatch(/^https:/)
})

it('gives each member the documented ids, the same ones for the same seed', async () => {
  const idsOf = async (seed: string) => {
    const { created } = await organization({ seed }).add(['a@example.com', 'b@example.com'])
    return created.map(({ id, member_id }) => [id, member_id])
  }
  const ids = await idsOf('one')

  expect(ids.map(([id]) => id)).toEqual([1, 2])
  for (const [, memberId] of ids) expect(memberId).toMatch(/^vmem_[\da-f]{24}$/)
  expect(new Set(ids.map(([, memberId]) => memberId)).size).toBe(2)
  expect(await idsOf('one')).toEqual(ids)
  expect(await idsOf('two')).not.toEqual(ids)
})

it('dates members by its clock, with the offset', async () => {
  const { add } = organization()
  expect((await add(['a@example.com'])).created[0]?.created_at).toBe('2026-03-01T12:00:00+00:00')
})

it('lists the role member only, deactivated ones included, and resolves any role', async () => {
  const roles = ['owner', 'admin', 'developer', 'member'] as const
  const { list, resolve, deactivate } = organization({
    members: roles.map((role) => ({ email: `${role}@example.com`, role })),
  })
  await deactivate('member@example.com')

  expect((await list()).map(({ email, status }) => [email, status])).toEqual([
    ['member@example.com', 'deactivated'],
  ])
  for (const role of roles)
    expect(await resolve({ email: `${role}@example.com` })).toMatchObject({ found: true, member: { role } })
})

it('resolves by svc_id, by email in any case, and by the first of the two that is known', async () => {
  const { resolve } = organization({
    members: [
      { email: 'ada@example.com', svc_id: 'svc_ada' },
      { email: 'bob@example.com', svc_id: 'svc_bob' },
    ],
  })
  const emailOf = async (by: object) => (await resolve(by)).member?.email

  expect(await emailOf({ svc_id: 'svc_ada' })).toBe('ada@example.com')
  expect(await emailOf({ email: 'ADA@Example.com' })).toBe('ada@example.com')
  expect(await emailOf({ svc_id: 'svc_bob', email: 'ada@example.com' })).toBe('bob@example.com')
  expect(await emailOf({ svc_id: 'svc_x', email: 'ada@example.com' })).toBe('ada@example.com')
  expect(await resolve({ svc_id: 'svc_x' })).toEqual({ found: false, member: null })
})

it.each([{}, { email: '' }, { svc_id: null }, { name: 'Ada' }])(
  'answers a resolve that names nobody (%j) with 400 missing_identifier',
  async (by) => {
    const { call } = organization()
    expect(await call('POST', '/members/resolve', by)).toMatchObject({
      status: 400,
      error: { code: 'missing_identifier' },
    })
  },
)

const person = { email: 'ada@example.com' }

it.each([
  ['no members', {}, { members: 'is required' }],
  ['an empty list', { members: [] }, { members: 'must contain 1 to 500 members' }],
  ['501 members', { members: Array(501).fill(person) }, { members: 'must contain 1 to 500 members' }],
  ['no email', { members: [person, {}] }, { 'members.1.email': 'is required' }],
  ['an email of another form', { members: [{ email: 'ada' }] }, { 'members.0.email': 'is not an email address' }],
  ['an unknown role', { members: [{ ...person, role: 'boss' }] }, { 'members.0.role': expect.any(String) }],
  ['an unknown invite', { members: [person], invite: 'fax' }, { invite: expect.any(String) }],
])('answers an add with %s in the organization error form, field by field', async (_, body, errors) => {
  const { call, list } = organization()

  expect(await call('POST', '/members', body)).toMatchObject({
    status: 400,
    success: false,
    error: { code: 'invalid_request', message: expect.stringContaining(Object.keys(errors)[0] as string) },
    data: { errors },
  })
  expect(await list()).toEqual([])
})

it('takes 500 members in one call', async () => {
  const { add } = organization()
  const { created } = await add(Array.from({ length: 500 }, (_, i) => `member${i}@example.com`))
  expect(created).toHaveLength(500)
})

it('answers a body that is no JSON in the same form', async () => {
  const { call } = organization()
  const reply = await call('POST', '/members', undefined, { 'content-type': 'application/json' })
  expect(reply).toMatchObject({
    status: 400,
    error: { code: 'invalid_request' },
    data: { errors: { body: expect.any(String) } },
  })
})

it('faults befall its operations, and reset brings the first roster back', async () => {
  const { emulator, call, add, list } = organization({ members: [person] })
  const before = await list()
  emulator.faults.add({ match: 'billing.retrieve', status: 503 })
  await add(['new@example.com'])

  expect((await call('GET', '/billing')).status).toBe(503)
  emulator.reset()

  const [{ member_id: _, ...again } = {}, ...others] = await list()
  expect(others).toEqual([])
  expect(before[0]).toMatchObject({ ...again, svc_id: expect.any(String) })
})

it('keeps the client secret out of its journal', async () => {
  const { emulator, call } = organization()
  await call('GET', '/members')
  expect(emulator.requests[0]?.headers['x-client-secret']).toBe('[masked]')
  expect(JSON.stringify(emulator.requests)).not.toContain('emulator_client_secret')
})

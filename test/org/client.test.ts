import { expect, it, vi } from 'vitest'
import { ConfigurationError, OrgClient, type OrgClientOptions } from '../../src/index.ts'
import { clientId, clientSecret, testOrg } from '../support/org-client.ts'
import { aMember } from '../support/roster-operations.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { baseUrl } from '../support/verification-client.ts'

const service = scriptedService()
const list = 'GET /api/sdk/members'
const emptyRoster = () => ok({ members: [], organization: { id: 1, name: 'Org' } })
const sentHeader = (name: string) => service.requests.map(({ headers }) => headers.get(name))

it.each([
  ['a missing client id', { clientId: undefined }, 'clientId'],
  ['an empty client id', { clientId: '' }, 'clientId'],
  ['a client id with a line break', { clientId: 'id\r\nx-evil: 1' }, 'clientId'],
  ['a client id that is a number', { clientId: 5 }, 'clientId'],
  ['a missing client secret', { clientSecret: undefined }, 'clientSecret'],
  ['an empty client secret', { clientSecret: '' }, 'clientSecret'],
  ['a client secret with a line break', { clientSecret: 'canary\nx-evil: 1' }, 'clientSecret'],
  ['a client secret with spaces around it', { clientSecret: ' canary ' }, 'clientSecret'],
  ['a missing base URL', { baseUrl: undefined }, 'SVC_ORG_BASE_URL'],
  ['a base URL without TLS', { baseUrl: 'http://console.example.test' }, 'https'],
  ['a timeout of 0', { timeoutMs: 0 }, 'timeoutMs'],
])('the constructor rejects %s', (_, options, mention) => {
  for (const name of ['SVC_ORG_BASE_URL', 'SVC_CLIENT_ID', 'SVC_CLIENT_SECRET']) vi.stubEnv(name, '')
  const settings = { baseUrl, clientId, clientSecret, ...options } as OrgClientOptions

  const make = () => new OrgClient(settings)

  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(mention)
  expect(make).not.toThrow('canary')
})

it('base URL, credentials and transport default to environment variables', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://other.example.test')
  vi.stubEnv('SVC_ORG_BASE_URL', `${baseUrl}/from-env`)
  vi.stubEnv('SVC_CLIENT_ID', 'id-from-env')
  vi.stubEnv('SVC_CLIENT_SECRET', 'secret-from-env')
  vi.stubEnv('SVC_TRANSPORT', 'fetch')
  service.respondTo('GET /from-env/api/sdk/members', emptyRoster)

  await new OrgClient().members.list()

  expect(sentHeader('x-client-id')).toEqual(['id-from-env'])
  expect(sentHeader('x-client-secret')).toEqual(['secret-from-env'])
})

it('headers of the caller cannot replace the credentials', async () => {
  service.respondTo(list, emptyRoster)
  const { org } = testOrg({ headers: { 'X-Client-Id': 'other', 'x-note': 'client' } })

  await org.members.list({}, { headers: { 'X-CLIENT-SECRET': 'another', 'X-Note': 'call' } })

  expect(sentHeader('x-client-id')).toEqual([clientId])
  expect(sentHeader('x-client-secret')).toEqual([clientSecret])
  expect(sentHeader('x-note')).toEqual(['call'])
})

it('reads its options only in the constructor', async () => {
  service.respondTo(list, emptyRoster)
  const options = { baseUrl, clientId, clientSecret, fetch: globalThis.fetch }
  const org = new OrgClient(options)
  options.clientSecret = 'changed-later'

  await org.members.list()

  expect(sentHeader('x-client-secret')).toEqual([clientSecret])
})

it('returns roles, statuses, reasons and fields that are not in the contract', async () => {
  const member = aMember({ role: 'auditor', status: 'paused', svc_id: null, badge: { color: 'red' } })
  const added = { ...member, activation_link: null, invite_method: 'sms' }
  const result = { created: [added], skipped: [{ email: 'b@x.y', reason: 'blocked' }], notified: true, n: 1 }
  service.respondTo('POST /api/sdk/members', ok(result))
  const { org } = testOrg({ responseValidation: 'strict' })

  expect(await org.members.add({ members: [{ email: 'a@x.y' }] })).toEqual(result)
})

it.each([
  ['a lookup that found nothing, and yet has a member', 'resolve', { found: false, member: aMember() }],
  ['a lookup that found a member, and yet has none', 'resolve', { found: true, member: null }],
  ['a removal of which nothing is reported', 'remove', { member: null }],
  ['a removed member that is returned', 'remove', { member: aMember(), removed: true }],
  ['a removal that was done now and earlier', 'remove', { member: null, removed: true, already_removed: true }],
] as const)('rejects %s if responseValidation is strict, and otherwise returns it', async (_, method, data) => {
  const path = method === 'resolve' ? 'POST /api/sdk/members/resolve' : 'DELETE /api/sdk/members/vmem_1'
  service.respondTo(path, ok(data), ok(data))
  const call = ({ org: { members } }: ReturnType<typeof testOrg>): Promise<unknown> =>
    method === 'resolve' ? members.resolve({ email: 'a@x.y' }) : members.remove('vmem_1')

  await expect(call(testOrg({ responseValidation: 'strict' }))).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('(member)'),
  })
  expect(await call(testOrg())).toMatchObject(data)
})

it.each(['deactivate', 'reactivate', 'remove'] as const)(
  'members.%s accepts a member with and without an envelope of its own, in strict mode too',
  async (method) => {
    const member = aMember({ status: 'deactivated' })
    const verb = method === 'remove' ? 'DELETE /api/sdk/members/vmem_1' : `PATCH /api/sdk/members/vmem_1/${method}`
    service.respondTo(verb, ok(member), ok({ member }))
    const { org } = testOrg({ responseValidation: 'strict' })

    const results = [await org.members[method]('vmem_1'), await org.members[method]('vmem_1')]

    const expected = method === 'remove' ? { found: true, member } : member
    expect(results).toEqual([expected, expected])
  },
)

it.each([
  [true, { member: aMember({ status: 'deactivated' }) }],
  [true, { member: aMember({ status: 'deactivated' }), removed: false, already_removed: null }],
  [true, { member: null, removed: true }],
  [false, { member: null, already_removed: true, removed: false }],
])('a removal says whether somebody was found (%j), if responseValidation is strict too: %j', async (found, data) => {
  service.respondTo('DELETE /api/sdk/members/vmem_1', ok(data))
  const { org } = testOrg({ responseValidation: 'strict' })
  expect(await org.members.remove('vmem_1')).toEqual({ ...data, found })
})

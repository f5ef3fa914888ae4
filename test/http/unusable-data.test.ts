import { expect, it } from 'vitest'
import { credentialParams, isSdkError, type Member, type NewMember, type RosterPlanJson } from '../../src/index.ts'
import { testOrg } from '../support/org-client.ts'
import { aMember } from '../support/roster-operations.ts'
import { silentLogger } from '../support/silent-logger.ts'
import { testClient } from '../support/verification-client.ts'

/** What a service or a proxy may send as `data`, none of which is documented. */
const unusable: readonly unknown[] = [
  null,
  false,
  0,
  'text',
  [],
  [null],
  [[]],
  {},
  { members: null },
  { members: 'text' },
  { members: [null] },
  { members: [1, 'text', []] },
  { members: [{ email: 1, member_id: null }], organization: null },
  { members: [], organization: 1 },
  { found: true },
  { found: true, member: 'text' },
  { created: null, skipped: null },
  { created: 'text', skipped: {} },
  { created: [null, 1, {}], skipped: [null, 1, {}] },
  { status: null },
  { status: {}, decision: null, checks: null },
  { decision: null, checks: [null] },
  { states: null },
  { providers: null },
]

const modes = ['strict', 'warn', 'off'] as const

type Mode = (typeof modes)[number]
type Respond = (method: string, path: string) => unknown

const fetchOf =
  (respond: Respond): typeof fetch =>
  async (url, init) =>
    Response.json({ success: true, data: respond(init?.method ?? 'GET', new URL(String(url)).pathname) })

const options = (responseValidation: Mode, respond: Respond) => ({
  fetch: fetchOf(respond),
  maxRetries: 0,
  responseValidation,
  logger: silentLogger,
})

const organization = { id: 1, name: 'Example' }
const plan: RosterPlanJson = {
  organization,
  rows: 3,
  maxRemovals: 1,
  remove: 'deactivate',
  changes: [
    { action: 'add', desired: { email: 'new@example.com' } },
    { action: 'reactivate', member: aMember({ member_id: 'vmem_000000000000000000000001' }) as Member },
    { action: 'remove', member: aMember() as Member },
  ],
  unchanged: [],
  conflicts: [],
}

/** Sends `data` in the place of one documented response. */
const inPlaceOf =
  (method: string, path: RegExp, data: unknown): Respond =>
  (sentMethod, sentPath) => {
    if (method === sentMethod && path.test(sentPath)) return data
    if (sentMethod === 'GET' && sentPath.endsWith('/members')) return { members: [aMember()], organization }
    if (sentPath.endsWith('/resolve')) return { found: false, member: null }
    return { created: [], skipped: [], notified: true, member: aMember() }
  }

const rows: NewMember[] = [{ email: 'new@example.com' }]
const drain = async (items: AsyncIterable<unknown>) => {
  for await (const _ of items);
}

/** Every method that reads its own data, with the responses that it reads. */
const methods: Record<string, (mode: Mode, data: unknown) => PromiseLike<unknown>> = {
  'members.plan, of members.list': (mode, data) =>
    testOrg(options(mode, inPlaceOf('GET', /members$/, data))).org.members.plan(rows),
  'members.plan, of members.resolve': (mode, data) =>
    testOrg(options(mode, inPlaceOf('POST', /resolve$/, data))).org.members.plan(rows),
  'members.applyPlan, of members.list': (mode, data) =>
    testOrg(options(mode, inPlaceOf('GET', /members$/, data))).org.members.applyPlan(plan),
  'members.applyPlan, of members.resolve': (mode, data) =>
    testOrg(options(mode, inPlaceOf('POST', /resolve$/, data))).org.members.applyPlan(plan),
  'members.applyPlan, of members.add': (mode, data) =>
    testOrg(options(mode, inPlaceOf('POST', /members$/, data))).org.members.applyPlan(plan),
  'members.applyPlan, of members.remove': (mode, data) =>
    testOrg(options(mode, inPlaceOf('DELETE', /./, data))).org.members.applyPlan(plan),
  'members.addAll': (mode, data) => testOrg(options(mode, () => data)).org.members.addAll(rows),
  'members.inviteAll': (mode, data) =>
    testOrg(options(mode, () => data)).org.members.inviteAll(['vmem_000000000000000000000001']),
  'members.list': (mode, data) => drain(testOrg(options(mode, () => data)).org.members.list()),
  'sessions.list': (mode, data) => drain(testClient(options(mode, () => data)).client.sessions.list()),
  'credentials.listStates': (mode, data) =>
    drain(testClient(options(mode, () => data)).client.credentials.listStates()),
  'credentials.listProviders': (mode, data) =>
    drain(testClient(options(mode, () => data)).client.credentials.listProviders('CA')),
  'sessions.waitForDecision, of sessions.retrieve': (mode, data) =>
    testClient(options(mode, () => data)).client.sessions.waitForDecision('sess_1', { deadlineMs: 5_000 }),
  'sessions.waitForDecision, of sessions.decision': (mode, data) =>
    testClient(
      options(mode, (_, path) => (path.endsWith('/decision') ? data : { status: 'APPROVED' })),
    ).client.sessions.waitForDecision('sess_1', { deadlineMs: 5_000 }),
}

it.each(Object.keys(methods).flatMap((name) => modes.map((mode) => [name, mode] as const)))(
  '%s never throws anything but an SdkError for what it reads: %s',
  async (name, mode) => {
    for (const data of unusable) {
      const thrown = await Promise.resolve(methods[name]?.(mode, data)).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (thrown !== undefined && !isSdkError(thrown))
        expect.fail(`${JSON.stringify(data)}: ${(thrown as Error).stack}`)
    }
  },
)

it.each(modes)('an update whose confirming read has no status throws the first failure: %s', async (mode) => {
  for (const data of unusable) {
    const fetch: typeof globalThis.fetch = async (_, init) =>
      init?.method === 'PATCH'
        ? Response.json({ success: false, error: { code: 'server_error', message: '' } }, { status: 500 })
        : Response.json({ success: true, data })
    const { client } = testClient({ ...options(mode, () => data), fetch })

    await expect(client.sessions.updateStatus('sess_1', { status: 'APPROVED' })).rejects.toMatchObject({
      code: 'server_error',
    })
  }
})

it('the error names the operation and the field', async () => {
  const { org } = testOrg(options('off', () => ({ members: [null] })))

  await expect(org.members.plan(rows)).rejects.toThrow(
    'members.list: the response is not as documented (members.0), and the client cannot continue without it',
  )
  const { org: other } = testOrg(options('off', () => null))
  await expect(drain(other.members.list())).rejects.toThrow('members.list: the response contains no list')
})

it.each([null, 'text', {}, { required_fields: null }, { required_fields: [null] }])(
  'credentialParams rejects the provider %j',
  (provider) => {
    expect(() => credentialParams(provider as never, {})).toThrow(
      'credentialParams: provider.required_fields must be an array of strings',
    )
  },
)

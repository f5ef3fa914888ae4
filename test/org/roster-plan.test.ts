import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator.ts'
import type { AppliedChange, Member, RosterPlanJson } from '../../src/index.ts'
import { collect } from '../support/collect.ts'
import { testOrg } from '../support/org-client.ts'
import { aMember } from '../support/roster-operations.ts'
import { breakConnection, hangThen, respond, type Step, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { emulatedOrg, people } from './emulated-org.ts'

type MemberOptions = NonNullable<EmulatorOptions['members']>

const named = (...names: readonly string[]) => names.map((name) => ({ email: `${name}@example.com` }))
const deactivated = (...names: readonly string[]) =>
  named(...names).map((one) => ({ ...one, status: 'deactivated' as const }))
const emailsOf = (members: readonly { readonly email: string }[]) => members.map(({ email }) => email)
const describe = (change: AppliedChange['change']) =>
  `${change.action} ${change.action === 'add' ? change.desired.email : change.member.email}`

function roster(members: MemberOptions) {
  const { emulator, org } = emulatedOrg({ members })
  const operations = () => emulator.requests.map(({ operation }) => operation)
  const emails = async (isListed: (member: Member) => boolean = ({ status }) => status !== 'deactivated') =>
    emailsOf((await org.members.list()).members.filter(isListed)).sort()
  return { emulator, org, operations, emails }
}

it('a plan has additions, then reactivations, then removals, and changes nothing', async () => {
  const { org, operations } = roster([...named('stays', 'goes', 'Case'), ...deactivated('back', 'gone')])

  const plan = await org.members.plan(named('new', 'back', 'stays', 'cASE'), { maxRemovals: 1 })

  expect(plan.changes.map(describe)).toEqual([
    'add new@example.com',
    'reactivate back@example.com',
    'remove goes@example.com',
  ])
  expect(emailsOf(plan.unchanged)).toEqual(['stays@example.com', 'Case@example.com'])
  expect(plan.conflicts).toEqual([])
  expect(operations()).toEqual(['members.list', 'members.resolve'])
})

it('people whose role is not listed are looked up: they are unchanged, or reactivated', async () => {
  const roles = ['owner', 'admin', 'developer'] as const
  const { org, operations } = roster(
    roles.flatMap((role) => [
      { email: `${role}@example.com`, role },
      { email: `former-${role}@example.com`, role, status: 'deactivated' as const },
    ]),
  )
  const desired = named('new', 'OWNER', 'admin', 'developer', 'former-owner', 'former-developer')

  const plan = await org.members.plan(desired)
  const summary = await org.members.applyPlan(plan)
  const next = await org.members.plan(desired)

  expect(plan.changes.map(describe)).toEqual([
    'add new@example.com',
    'reactivate former-owner@example.com',
    'reactivate former-developer@example.com',
  ])
  expect(emailsOf(plan.unchanged).sort()).toEqual(emailsOf(named('admin', 'developer', 'owner')))
  expect(operations().slice(0, 7)).toEqual(['members.list', ...Array(6).fill('members.resolve')])
  expect(summary).toEqual({ added: 1, reactivated: 2, removed: 0, failed: 0, skipped: 0, kept: 0, failures: [] })
  expect(next.changes).toEqual([])
})

it('at most four people are looked up at once', async () => {
  let running = 0
  let most = 0
  const { emulator } = emulatedOrg()
  const { org } = testOrg({
    ...emulator.options.org,
    fetch: async (...request) => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      return emulator.fetch(...request)
    },
  })

  await org.members.plan(people(20))

  expect(most).toBe(4)
})

it('a lookup that responds with 404 means that the person is not in the roster', async () => {
  const missing = respond(404, { success: false, data: null, error: { code: 'not_found', message: 'no' } })
  const { org } = scripted(lists([]), missing)
  const { changes } = await org.members.plan(named('new'))
  expect(changes.map(describe)).toEqual(['add new@example.com'])
})

it.each([
  ['fails', respond(503, { success: false, data: null, error: { code: 'unavailable', message: 'no' } })],
  ['is lost', breakConnection],
])('a lookup that %s makes no plan', async (_, step) => {
  const { org } = scripted(lists([]), step)
  await expect(org.members.plan(named('a', 'b', 'c'))).rejects.toMatchObject({ operation: 'members.resolve' })
})

it('an abort during the lookups makes no plan', async () => {
  const controller = new AbortController()
  const { org } = scripted(
    lists([]),
    nobody,
    hangThen(() => queueMicrotask(() => controller.abort())),
  )
  const planning = org.members.plan(people(9), { signal: controller.signal })
  await expect(planning).rejects.toMatchObject({ name: 'AbortedError' })
})

it('rows with one email are a conflict: they change nothing, and their member is kept', async () => {
  const { org, emails } = roster([...named('twice'), ...deactivated('back')])

  const plan = await org.members.plan(named('twice', 'TWICE', 'back', 'BACK', 'new', 'New', 'once'))
  const summary = await org.members.applyPlan(plan)

  expect(emailsOf(plan.conflicts)).toEqual(emailsOf(named('twice', 'TWICE', 'back', 'BACK', 'new', 'New')))
  expect(plan.changes.map(describe)).toEqual(['add once@example.com'])
  expect(summary).toEqual({ added: 1, reactivated: 0, removed: 0, failed: 0, skipped: 0, kept: 0, failures: [] })
  expect(await emails()).toEqual(['once@example.com', 'twice@example.com'])
})

it.each(['\u200b', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u0007'])(
  'a row whose email contains %j is a conflict: it adds nobody, and the member that it looks like is kept',
  async (character) => {
    const { org, emails, operations } = roster(named('ada', 'goes'))
    const rows = [`a${character}da@example.com`, `${character}new@example.com`].map((email) => ({ email }))

    const plan = await org.members.plan([...rows, ...named('once')], { maxRemovals: 1 })
    await org.members.applyPlan(plan)

    expect(plan.conflicts).toEqual(rows)
    expect(plan.changes.map(describe)).toEqual(['add once@example.com', 'remove goes@example.com'])
    expect(operations().filter((name) => name === 'members.resolve')).toHaveLength(1)
    expect(await emails()).toEqual(emailsOf(named('ada', 'once')))
  },
)

it('emails match without the spaces around them, in normal form C and in lower case', async () => {
  const { org } = roster([{ email: 'Zo\u00eb@example.com' }, { email: 'rene\u0301@example.com' }])

  const plan = await org.members.plan([
    { email: ' zoe\u0308@example.com\n' },
    { email: '\u00a0REN\u00c9@example.com' },
    { email: ' e\u0301va@example.com ' },
  ])

  expect(plan.unchanged).toHaveLength(2)
  expect(plan.changes.map(describe)).toEqual(['add \u00e9va@example.com'])
})

it('two spellings of a mailbox are one member: an IDN, full-width dots, and a dot at the end', async () => {
  const { org } = roster(
    ['ada@xn--bcher-kva.example', 'bo@BÜCHER.example', 'cy@example.com'].map((email) => ({ email })),
  )

  const plan = await org.members.plan(
    ['ada@bücher.example', 'bo@xn--bcher-kva.example.', 'CY@example\uff0eCOM\u3002'].map((email) => ({ email })),
    { maxRemovals: 3 },
  )

  expect([plan.changes, plan.conflicts, plan.unchanged.length]).toEqual([[], [], 3])
})

it('a person who is not listed is looked up by the ASCII form of the domain too', async () => {
  const { org, operations } = roster([{ email: 'ada@xn--bcher-kva.example', role: 'admin' }])

  const plan = await org.members.plan([{ email: 'ada@bücher.example' }])

  expect([plan.changes, emailsOf(plan.unchanged)]).toEqual([[], ['ada@xn--bcher-kva.example']])
  expect(operations()).toEqual(['members.list', 'members.resolve', 'members.resolve'])
})

it('a mailbox that is listed under two spellings is not reactivated under the other one', async () => {
  const { org } = roster([
    { email: 'ada@bücher.example' },
    { email: 'ada@xn--bcher-kva.example', status: 'deactivated' },
  ])
  expect((await org.members.plan([{ email: 'ada@xn--bcher-kva.example' }])).changes).toEqual([])
})

it.each([
  '#N/A',
  'ada@example',
  'ada@@example.com',
  'ada@ example.com',
  'ada.example.com',
  'ada@example,com',
  'ada(at)example.com',
])('a row with %j can be that of anyone, so nobody is removed', async (email) => {
  const { org, emails } = roster(named('ada', 'bo'))

  const plan = await org.members.plan([{ email }, ...named('bo', 'once')], { maxRemovals: 2 })
  await org.members.applyPlan(plan)

  expect(plan.conflicts).toEqual([{ email }])
  expect(plan.changes.map(describe)).toEqual(['add once@example.com'])
  expect(await emails()).toEqual(emailsOf(named('ada', 'bo', 'once')))
})

it.each([
  'Ada <ada@example.com>',
  '"Example, Ada" <ADA@example.com>',
  'mailto:ada@example.com',
  'mailto:ada@example.com?subject=Hi',
  'ada\uff20example.com',
  'Ada\uff1cada@example.com\uff1e',
  'bo@example.org; ada@example.com',
  'bo@example.org\nada@example.com',
  'ada@example.com/x',
])('a row with %j is a conflict: it adds nobody, and its member is kept', async (email) => {
  const { org, emails } = roster(named('ada', 'goes'))

  const plan = await org.members.plan([{ email }, ...named('once')], { maxRemovals: 2 })
  await org.members.applyPlan(plan)

  expect(plan.conflicts).toEqual([{ email }])
  expect(plan.changes.map(describe)).toEqual(['add once@example.com', 'remove goes@example.com'])
  expect(await emails()).toEqual(emailsOf(named('ada', 'once')))
})

it('the plan of the listed members is empty', async () => {
  const { org } = roster([...named('ada'), ...deactivated('gone')])
  const plan = await org.members.plan((await org.members.list()).members, { maxRemovals: 2 })
  expect([plan.changes, plan.conflicts, plan.unchanged.length]).toEqual([[], [], 1])
})

it('a row whose status is deactivated asks for nobody, and one that contradicts the roster is a conflict', async () => {
  const { org } = roster([...named('back', 'goes'), ...deactivated('gone')])
  const rows = named('back', 'gone', 'unknown').map((row) => ({ ...row, status: 'deactivated' }))

  const plan = await org.members.plan([...rows, ...named('new')], { maxRemovals: 1 })
  const nobody = await org.members.plan(rows, { maxRemovals: 9 })

  expect(plan.changes.map(describe)).toEqual(['add new@example.com', 'remove goes@example.com'])
  expect([plan.conflicts, plan.rows]).toEqual([named('back'), 1])
  await expect(org.members.applyPlan(nobody)).rejects.toThrow(/desired roster is empty/)
})

it.each(['inactive', 'left', 'Terminated'])(
  'a row whose status is %s, which no member has, adds nobody',
  async (status) => {
    const { org } = roster(named('stays'))
    const rows = named('stays', 'gone').map((row) => ({ ...row, status }))

    const plan = await org.members.plan([...rows, { ...named('new')[0], status: ' Active ' } as never], {
      maxRemovals: 9,
    })

    expect(plan.changes.map(describe)).toEqual(['add new@example.com'])
    expect(plan.conflicts).toEqual(named('stays', 'gone'))
  },
)

it('only the fields of a new member are sent, and none that is null', async () => {
  const { emulator, org } = roster([])
  const plan = await org.members.plan([
    { ...aMember({ email: 'ada@example.com', last_name: null, role: 'developer' }) },
  ])

  await org.members.applyPlan(plan)

  const added = emulator.requests.find(({ operation }) => operation === 'members.add')
  expect(Object.keys(JSON.parse(String(added?.body)).members[0])).toEqual(['email', 'first_name', 'role'])
})

it('a roster of 5,000 and a file with 25 new, 15 missing and 10 deactivated people: a plan of those 50', async () => {
  const all = people(5000)
  const { org, operations, emails } = roster(
    all.map((one, index) => (index < 10 ? { ...one, status: 'deactivated' as const } : one)),
  )
  const desired = [...all.slice(0, 4985), ...people(25, 6000)]

  const plan = await org.members.plan(desired, { maxRemovals: 15 })
  const before = operations().length
  const summary = await org.members.applyPlan(plan)

  expect(plan.changes).toHaveLength(50)
  expect(plan.unchanged).toHaveLength(4975)
  expect(summary).toEqual({ added: 25, reactivated: 10, removed: 15, failed: 0, skipped: 0, kept: 0, failures: [] })
  expect(await emails()).toEqual(emailsOf(desired).sort())
  expect(operations().slice(before, -1)).toEqual([
    'members.list',
    'members.add',
    ...Array(10).fill('members.reactivate'),
    ...Array(15).fill('members.remove'),
  ])
})

it.each([
  ['after the additions', 1],
  ['among the reactivations', 4],
  ['among the removals', 14],
])('a plan that is interrupted %s is resumed from its JSON without one write twice', async (_, writes) => {
  const { emulator, org, emails } = roster([...people(20), ...deactivated(...'abcdefghij')])
  const desired = [...people(15), ...named(...'abcdefghij'), ...people(25, 100)]
  const plan = await org.members.plan(desired, { maxRemovals: 5 })
  const controller = new AbortController()
  const written = () =>
    emulator.requests.filter(
      ({ operation, status }) =>
        operation !== 'members.list' && operation !== 'members.resolve' && status !== undefined,
    )

  const interrupted = async () => {
    for await (const _ of org.members.applyPlan(plan, { signal: controller.signal }))
      if (written().length === writes) controller.abort()
  }
  await expect(interrupted()).rejects.toMatchObject({ name: 'AbortedError', operation: 'members.applyPlan' })
  const saved: RosterPlanJson = JSON.parse(JSON.stringify(plan))
  const { failed, skipped, ...made } = await org.members.applyPlan(saved)

  expect(failed).toBe(0)
  expect(skipped).toBe(40 - made.added - made.reactivated - made.removed)
  expect(skipped).toBeGreaterThan(0)
  expect(written()).toHaveLength(16)
  expect(new Set(written().map(({ path }) => path)).size).toBe(16)
  expect(await emails()).toEqual(emailsOf(desired).sort())
  expect(await org.members.applyPlan(saved)).toMatchObject({ skipped: 40, failed: 0 })
})

it.each([
  ['removes more than its maxRemovals', named('a'), 1, /removes 2 members, and maxRemovals is 1.*maxRemovals: 2/],
  ['has no desired rows', [], 3, /desired roster is empty/],
])('applyPlan sends nothing if the plan %s', async (_, desired, maxRemovals, message) => {
  const { org, operations } = roster(named('a', 'b', 'c'))
  const plan = await org.members.plan(desired, { maxRemovals })

  await expect(org.members.applyPlan(plan)).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringMatching(message),
  })

  expect(operations()).toEqual(['members.list'])
})

it('an empty desired roster is accepted if the roster is empty too', async () => {
  const { org } = roster(deactivated('gone'))
  const summary = await org.members.applyPlan(await org.members.plan([]))
  expect(summary).toEqual({ added: 0, reactivated: 0, removed: 0, failed: 0, skipped: 0, kept: 0, failures: [] })
})

const organization = { id: 1, name: 'Example' }
const lists = (members: readonly object[], owner: object = organization): Step =>
  succeed({ members, organization: owner })

function scripted(...steps: Step[]) {
  const { fetch, requests } = scriptedFetch(...steps)
  return { ...testOrg({ fetch, maxRetries: 0 }), requests }
}

const nobody = succeed({ found: false, member: null })

it('a member whose role became another one after the plan is not removed', async () => {
  const member = aMember({ role: 'member' })
  const { org, requests } = scripted(lists([{ ...member, role: 'admin' }]), succeed({}))

  const [removal] = await collect(org.members.applyPlan(aPlan([{ action: 'remove', member }])))

  expect(removal).toMatchObject({ skipped: 'not_needed' })
  expect(requests).toHaveLength(1)
})

it('a plan that was edited to name another person removes and reactivates nobody', async () => {
  const { org, emails, operations } = roster([...named('stays', 'goes'), ...deactivated('back')])
  const plan = await org.members.plan(named('stays', 'back'), { maxRemovals: 1 })
  const edited: RosterPlanJson = JSON.parse(
    JSON.stringify(plan).replaceAll('goes@example.com', 'ada@example.com').replaceAll('back@', 'bo@'),
  )

  const applied = await collect(org.members.applyPlan(edited))

  expect(applied.map((one) => [describe(one.change), one.skipped])).toEqual([
    ['reactivate bo@example.com', 'other_email'],
    ['remove ada@example.com', 'other_email'],
  ])
  expect(operations().filter((name) => /remove|reactivate/.test(name ?? ''))).toEqual([])
  expect(await emails()).toEqual(emailsOf(named('goes', 'stays')))
})

it('a change that the roster does not need any more is skipped with that reason', async () => {
  const { org } = roster([...named('goes'), ...deactivated('back')])
  const plan = await org.members.plan(named('back', 'new'), { maxRemovals: 1 })
  await org.members.applyPlan(plan)

  const again = await collect(org.members.applyPlan(plan))

  expect(again.map(({ skipped }) => skipped)).toEqual(Array(3).fill('not_needed'))
})

it('a listed member without an email is left unchanged', async () => {
  const { org } = scripted(lists([{ ...aMember(), email: undefined }]), nobody)
  const plan = await org.members.plan(named('other'), { maxRemovals: 1 })
  expect([plan.unchanged.length, plan.changes.map(describe)]).toEqual([1, ['add other@example.com']])
})

it('a plan is not applied to the roster of another organization', async () => {
  const { org, requests } = scripted(lists([]), nobody, lists([], { id: 2, name: 'Other' }))
  const plan = await org.members.plan(named('new'))

  await expect(org.members.applyPlan(plan)).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining('another organization'),
  })

  expect(requests).toHaveLength(3)
})

it.each([
  ['a text', 'plan', /plan must be a plan, or its JSON/],
  ['without changes', { ...aPlan(), changes: undefined }, /plan\.changes must be an array/],
  ['with an unknown action', { ...aPlan(), changes: [{ action: 'erase' }] }, /plan\.changes\.0\.action must be/],
  ['with a removal of nobody', { ...aPlan(), changes: [{ action: 'remove' }] }, /plan\.changes\.0\.member is required/],
])('a saved plan %s is rejected before anything is sent', async (_, plan, message) => {
  const { org, requests } = scripted(lists([]))

  await expect(org.members.applyPlan(JSON.parse(JSON.stringify(plan)))).rejects.toMatchObject({
    name: 'InvalidParamsError',
    operation: 'members.applyPlan',
    message: expect.stringMatching(message),
  })

  expect(requests).toEqual([])
})

function aPlan(changes: readonly object[] = []): RosterPlanJson {
  const rest = { unchanged: [], conflicts: [] }
  const plan = { organization, rows: 9, maxRemovals: 9, remove: 'deactivate', changes, ...rest }
  return JSON.parse(JSON.stringify(plan))
}

const additions = (...names: readonly string[]) =>
  aPlan(named(...names).map((desired) => ({ action: 'add', desired }) as const))
const removals = (count: number) => {
  const members = Array.from({ length: count }, (_, index) => aMember({ member_id: `vmem_${index}` }))
  return { members, plan: aPlan(members.map((member) => ({ action: 'remove', member }) as const)) }
}

it('rows that the service rejects by name do not stop the others of their call', async () => {
  const rejection = respond(400, {
    success: false,
    data: { errors: { 'members[1].email': ['is not deliverable'], 'members.2.role': 'is unknown' } },
    error: { code: 'invalid_request', message: 'no' },
  })
  const created = named('a', 'd').map((one) => ({
    ...aMember(one),
    activation_link: null,
    invite_method: 'email',
  }))
  const { org, requests } = scripted(lists([]), rejection, succeed({ created, skipped: [], notified: true }))

  const applied = await collect(org.members.applyPlan(additions('a', 'b', 'c', 'd')))

  expect(
    applied.map(({ change, member, error, rejectedFields }) => [
      describe(change),
      member?.email ?? error?.code,
      rejectedFields,
    ]),
  ).toEqual([
    ['add a@example.com', 'a@example.com', undefined],
    ['add b@example.com', 'invalid_request', { email: ['is not deliverable'] }],
    ['add c@example.com', 'invalid_request', { role: ['is unknown'] }],
    ['add d@example.com', 'd@example.com', undefined],
  ])
  expect(requests).toHaveLength(3)
})

it('an addition that the service reports as a duplicate is skipped, and not a failure', async () => {
  const skipped = named('a').map((one) => ({ ...one, reason: 'duplicate' }))
  const { org } = scripted(lists([]), succeed({ created: [], skipped, notified: false }))
  const applying = org.members.applyPlan(additions('a'))

  const [applied] = await collect(applying)

  expect([applied?.skipped, applied?.error]).toEqual(['duplicate', undefined])
  expect(await applying).toMatchObject({ added: 0, skipped: 1, failed: 0 })
})

it('an addition that the service leaves out for another reason, or does not list, has an error', async () => {
  const skipped = named('a').map((one) => ({ ...one, reason: 'suspended' }))
  const { org } = scripted(lists([]), succeed({ created: [], skipped, notified: false }))

  const applied = await collect(org.members.applyPlan(additions('a', 'b')))

  expect(applied.map(({ error }) => error?.message)).toEqual([
    expect.stringMatching(/was left out by the service$/),
    expect.stringContaining('does not list a member'),
  ])
})

it('a change that fails is counted, and the others are made', async () => {
  const { emulator, org } = roster(people(4))
  const plan = await org.members.plan(people(1), { maxRemovals: 3 })
  emulator.faults.add({ match: 'members.remove', status: 400, code: 'invalid_request', times: 1 })

  expect(await org.members.applyPlan(plan)).toMatchObject({
    removed: 2,
    failed: 1,
    failures: [{ item: plan.changes[0], error: { code: 'invalid_request' } }],
  })
})

it.each([
  ['members.add', { status: 503 }],
  ['members.add', { status: 429 }],
  ['members.add', { status: 400, code: 'invalid_request' }],
  ['members.add', { reset: true }],
  ['members.reactivate', { status: 404, code: 'not_found' }],
] as const)('nobody is removed if %s failed with %j, and the next run removes', async (match, fault) => {
  const { emulator, org, operations } = roster([...named('goes', 'leaves'), ...deactivated('back')])
  const plan: RosterPlanJson = (await org.members.plan(named('new', 'back'), { maxRemovals: 2 })).toJSON()
  // Also if a plan was edited.
  const edited = { ...plan, changes: plan.changes.toReversed() }
  emulator.faults.add({ match, ...fault, times: 3 })

  const applying = org.members.applyPlan(edited)
  const items = await collect(applying)

  expect(await applying).toMatchObject({ removed: 0, kept: 2, failed: 1, skipped: 0 })
  expect(items.slice(2).map(({ change, kept, skipped }) => [change.action, kept, skipped])).toEqual(
    Array(2).fill(['remove', true, undefined]),
  )
  expect(operations()).not.toContain('members.remove')
  emulator.faults.clear()
  expect(await org.members.applyPlan(edited)).toMatchObject({ removed: 2, kept: 0, failed: 0, skipped: 1 })
})

it('a removal of nobody is skipped, and not counted as a removal', async () => {
  const { org } = roster(named('stays', 'goes', 'leaves'))
  const plan = await org.members.plan(named('stays'), { maxRemovals: 2, remove: 'permanent' })
  await org.members.remove('goes@example.com', { permanent: true })
  const member = aMember({ email: 'leaves@example.com', role: 'member' })
  const late = scripted(lists([member]), succeed({ member: null, already_removed: true }))

  const applied = await collect(org.members.applyPlan(plan))
  const raced = await late.org.members.applyPlan(aPlan([{ action: 'remove', member }]))

  expect(applied.map(({ skipped, member }) => skipped ?? member)).toEqual(['not_found', null])
  expect(raced).toMatchObject({ removed: 0, skipped: 1 })
})

it.each([
  ['an outage ends a plan after three calls', 503, 'unavailable', 3],
  ['rejected credentials end a plan after one call', 401, 'invalid_credentials', 1],
])('%s, and a second run resumes it', async (_, status, code, calls) => {
  const { members, plan } = removals(5)
  const failure = respond(status, { success: false, data: null, error: { code, message: 'no' } })
  const { org, requests } = scripted(lists(members), failure)
  const items: AppliedChange[] = []
  const run = async () => {
    for await (const item of org.members.applyPlan(plan)) items.push(item)
  }

  await expect(run()).rejects.toMatchObject({ status })

  expect(items.map(({ error }) => error?.code)).toEqual(Array(calls).fill(code))
  expect(requests).toHaveLength(calls + 1)
  const later = scripted(lists(members), succeed({ member: members[0] }))
  expect(await later.org.members.applyPlan(plan)).toMatchObject({ removed: 5, skipped: 0 })
})

it('additions whose response was lost are not sent again by the second run', async () => {
  const { emulator, org, emails } = roster([])
  const plan = await org.members.plan(people(3))
  emulator.faults.add({ match: 'members.add', when: 'after', reset: true, times: 1 })

  expect(await org.members.applyPlan(plan)).toMatchObject({ added: 0, failed: 3 })
  expect(await org.members.applyPlan(plan)).toMatchObject({ skipped: 3, failed: 0 })

  expect(await emails()).toHaveLength(3)
  expect(emulator.requests.filter(({ operation }) => operation === 'members.add')).toHaveLength(1)
})

it('a permanent plan with too many removals says that it deletes permanently', async () => {
  const { org } = roster(named('a', 'b'))
  const plan = await org.members.plan(named('a'), { remove: 'permanent' })
  await expect(org.members.applyPlan(plan)).rejects.toThrow(/deletes 1 members permanently/)
})

it('a permanent plan deletes rows', async () => {
  const { emulator, org } = roster(named('stays', 'goes'))
  const plan = await org.members.plan(named('stays'), { maxRemovals: 1, remove: 'permanent' })

  const [applied] = await collect(org.members.applyPlan(plan))

  expect(applied?.member).toBeNull()
  expect(emulator.requests.at(-1)?.path).toContain('?permanent=true')
  expect(emailsOf((await org.members.list()).members)).toEqual(['stays@example.com'])
})

it('with notify false, the items of additions have activation links, and the totals have none', async () => {
  const { org } = roster([])
  const progress: object[] = []
  const plan = await org.members.plan(named('a'))
  const applying = org.members.applyPlan(plan, {
    notify: false,
    invite: 'face',
    onProgress: (totals) => progress.push(totals),
  })

  const [item] = await collect(applying)

  expect(item?.member).toMatchObject({ activation_link: expect.stringContaining('https') })
  expect(progress).toEqual([await applying])
  expect(JSON.stringify(await applying)).not.toContain('http')
})

it('a row without an email is rejected by its place, and nothing is sent', async () => {
  const { org, operations } = roster([])
  await expect(org.members.plan([{ email: 'a@example.com' }, { email: '' }])).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'desired.1.email', message: 'must not be empty' }],
  })
  expect(operations()).toEqual([])
})

const someNames = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { maxLength: 12 })

it('for any roster and any desired one, applying the plan gives the desired one, and the next plan is empty', async () => {
  const property = fc.asyncProperty(someNames, someNames, someNames, async (active, inactive, desired) => {
    const inactiveOnly = inactive.filter((name) => !active.includes(name))
    const { org, emails } = roster([...named(...active), ...deactivated(...inactiveOnly)])
    fc.pre(desired.length > 0 || active.length === 0)

    await org.members.applyPlan(await org.members.plan(named(...desired), { maxRemovals: 99 }))

    expect(await emails()).toEqual(emailsOf(named(...desired)).sort())
    expect((await org.members.plan(named(...desired))).changes).toEqual([])
  })
  await fc.assert(property, { numRuns: 60 })
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../../src/emulator.ts'
import { ConflictError, NotFoundError, type OrgClient } from '../../../../src/index.ts'
import { commandsOn, manyOf } from '../../../support/model-command.ts'
import { testOrg } from '../../../support/org-client.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

/** What sections 2.9, 3.3 and 4.9 say about one member. */
interface Person {
  readonly memberId: string
  status: string
  /** Whether the person connected an identity by face, and it still exists. */
  hasIdentity: boolean
  /** The link that was created last. `undefined` if there is none, or the model cannot know it. */
  link: string | undefined
}

/** The roster, by email. The owner is not in it. */
class RosterModel {
  readonly people = new Map<string, Person>()
  /** Links that were superseded. */
  readonly oldLinks: string[] = []

  /** Section 2.10: active members are the seats. The owner is one. */
  get seats() {
    return 1 + [...this.people.values()].filter(({ status }) => status === 'active').length
  }

  supersede(person: Person, link: string | undefined) {
    if (person.link !== undefined) this.oldLinks.push(person.link)
    person.link = link
  }
}

interface Real {
  readonly org: OrgClient
  readonly emulator: Emulator
}

const command = commandsOn<RosterModel, Real>()
const owner = { email: 'owner@example.com', role: 'owner', status: 'active' } as const
const email = fc.constantFrom('ada@example.com', 'bo@example.com', 'zoë+1@example.com')
const pricePerSeat = 3

const rejects = async (call: PromiseLike<unknown>, kind: new (...args: never[]) => Error, code: string) => {
  const error = await thrownBy(call)
  expect(error).toBeInstanceOf(kind)
  expect(error).toMatchObject({ code })
}

const notFound = (call: PromiseLike<unknown>) => rejects(call, NotFoundError, 'not_found')

const anyCommand = [
  command(
    'add',
    { email, invite: fc.constantFrom('auto', 'email', 'face'), notify: fc.boolean() },
    async (model, { org }, { email, invite, notify }) => {
      const known = model.people.get(email)
      const { created, skipped, notified } = await org.members.add({ members: [{ email }], invite, notify })
      expect(notified).toBeTypeOf('boolean')
      // Section 4.9: a member that exists is skipped, with a reason.
      if (known && known.status !== 'deactivated') {
        expect([created, skipped]).toEqual([[], [{ email, reason: expect.any(String) }]])
        return
      }
      expect([created.length, skipped]).toEqual([1, []])
      const [member] = created
      // Section 3.3: deactivated, "add with same email": reactivated. The status that follows is not shown.
      expect(member?.reactivated === true).toBe(known !== undefined)
      expect(member).toMatchObject({ email, role: 'member', active: member?.status === 'active' })
      expect(member?.member_id).toMatch(/^vmem_[0-9a-f]{24}$/)
      if (known) expect(member?.member_id).toBe(known.memberId)
      else if (invite === 'face') expect(member?.status).toBe('link_sent')
      else expect(['invited', 'link_sent']).toContain(member?.status)
      expect(member?.status).not.toBe('deactivated')
      // Section 3.3: the link of a face invite is returned only if `notify` is false, and one of an email never.
      const isReturned = member?.invite_method === 'face' && !notify
      if (isReturned && !known) expect(member?.activation_link).toBeTypeOf('string')
      if (!isReturned) expect(member?.activation_link).toBeNull()
      // What `auto` selects, and when the method is `none`, is not shown.
      const isShown = invite === 'face' || (invite === 'email' && notify)
      if (isShown && !known) expect(member?.invite_method).toBe(invite)
      const person = known ?? {
        memberId: String(member?.member_id),
        hasIdentity: false,
        status: '',
        link: undefined,
      }
      person.status = String(member?.status)
      model.supersede(person, member?.activation_link ?? undefined)
      model.people.set(email, person)
    },
  ),
  command('resolve', { email }, async ({ people }, { org }, { email }) => {
    const known = people.get(email)
    const { found, member } = await org.members.resolve({ email })
    expect(found).toBe(known !== undefined)
    if (known === undefined) expect(member).toBeNull()
    else {
      expect(member).toMatchObject({ email, member_id: known.memberId, status: known.status })
      expect(member?.active).toBe(known.status === 'active')
      // Section 2.9: `null` until the member connects their identity by face.
      if (known.hasIdentity && known.status === 'active') expect(member?.svc_id).toBeTypeOf('string')
      if (known.hasIdentity && member?.svc_id)
        expect((await org.members.resolve({ svc_id: member.svc_id })).member).toEqual(member)
    }
  }),
  command('list', {}, async ({ people }, { org }) => {
    const { members } = await org.members.list()
    // Section 4.9: lists the role `member` only.
    const listed = members.map(({ email, member_id, status }) => ({ email, memberId: member_id, status }))
    const expected = [...people].map(([email, { memberId, status }]) => ({ email, memberId, status }))
    expect(new Set(listed)).toEqual(new Set(expected))
    expect(listed).toHaveLength(people.size)
  }),
  command('deactivate', { email }, async ({ people }, { org }, { email }) => {
    const known = people.get(email)
    if (known === undefined) return notFound(org.members.deactivate(email))
    const { member } = await org.members.resolve({ email })
    const deactivated = { ...member, status: 'deactivated', active: false }
    expect(await org.members.deactivate(known.memberId)).toEqual(deactivated)
    known.status = 'deactivated'
  }),
  command('reactivate', { email }, async ({ people }, { org }, { email }) => {
    const known = people.get(email)
    if (known === undefined) return notFound(org.members.reactivate(email))
    // The result for a member that is not deactivated is not shown.
    if (known.status !== 'deactivated') return
    const { status, svc_id } = await org.members.reactivate(email)
    if (!known.hasIdentity) expect(svc_id).toBeNull()
    // Section 3.3: active, or invited if the identity is gone.
    expect(status).toBe(known.hasIdentity ? 'active' : 'invited')
    known.status = String(status)
  }),
  command('remove', { email, permanent: fc.boolean() }, async ({ people }, { org }, { email, permanent }) => {
    const known = people.get(email)
    const result = await org.members.remove(email, permanent ? { permanent } : {})
    // Section 4.9: a member that is already gone is a success.
    if (known === undefined) expect(result).toMatchObject({ member: null, already_removed: true })
    else if (permanent) expect(result).toMatchObject({ member: null, removed: true })
    else expect(result).toMatchObject({ member: { email, status: 'deactivated', active: false } })
    if (permanent && known) expect(await org.members.resolve({ email })).toEqual({ found: false, member: null })
    if (known && !permanent) known.status = 'deactivated'
    if (permanent) people.delete(email)
  }),
  command('invite', { email }, async (model, { org, emulator }, { email }) => {
    // Section 8: 10 requests a minute.
    await emulator.clock.advance(60_000)
    const known = model.people.get(email)
    const invited = org.members.invite(email)
    if (known === undefined) return notFound(invited)
    if (known.status === 'active') return rejects(invited, ConflictError, 'already_active')
    if (known.status === 'deactivated') return rejects(invited, ConflictError, 'deactivated')
    const { member, activation_link } = await invited
    expect(member).toMatchObject({ email, status: 'link_sent' })
    expect(model.oldLinks).not.toContain(activation_link)
    expect(activation_link).not.toBe(known.link)
    model.supersede(known, activation_link)
    known.status = 'link_sent'
  }),
  command('activate', { email }, async ({ people }, { emulator }, { email }) => {
    const known = people.get(email)
    if (known?.link === undefined || known.status !== 'link_sent') return
    expect(emulator.members.activate(known.link)).toMatchObject({ email, status: 'active', active: true })
    Object.assign(known, { status: 'active', hasIdentity: true, link: undefined })
  }),
  command('use a superseded link', { index: fc.nat() }, async ({ oldLinks }, { emulator }, { index }) => {
    const link = oldLinks[index % oldLinks.length]
    // Section 3.3: a new link supersedes the old one.
    if (link !== undefined) expect(() => emulator.members.activate(link)).toThrow()
  }),
  command('lose the identity', { email }, async ({ people }, { emulator }, { email }) => {
    const known = people.get(email)
    // What happens to an active member is not shown.
    if (known?.status !== 'deactivated') return
    emulator.members.removeIdentity(email)
    known.hasIdentity = false
  }),
  command('billing', {}, async ({ seats }, { org }) => {
    const billing = await org.billing.retrieve()
    expect(billing.seats).toBe(seats)
    // Section 2.10: seats x price_per_seat.
    expect(billing.subscription?.price_per_seat).toBe(pricePerSeat)
    expect(billing.estimated_next_charge).toBe(seats * pricePerSeat)
  }),
]

it('the roster does what sections 3.3 and 4.9 of the contract say, in any order of requests', async () => {
  await fc.assert(
    fc.asyncProperty(manyOf(anyCommand, 60), async (commands) => {
      const emulator = createEmulator({ members: [owner], org: { billing: { pricePerSeat } } })
      const { org } = testOrg({ ...emulator.options.org, maxRetries: 0 })
      await fc.asyncModelRun(() => ({ model: new RosterModel(), real: { org, emulator } }), commands)
    }),
    { numRuns: 40 },
  )
})

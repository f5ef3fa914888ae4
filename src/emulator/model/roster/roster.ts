import {
  type AddedMember,
  type AddResult,
  type InviteResult,
  type KnownMemberStatus,
  type Member,
  type MemberRole,
  memberIdPrefix,
  type Removal,
  type SkippedMember,
} from '../../../contract/organization/member-results.ts'
import type { InviteMethod, NewMember } from '../../../contract/organization/members.ts'
import { EmulatorError } from '../../../errors/sdk-error.ts'
import { activationAddress, activationToken } from '../addresses.ts'
import type { Clock } from '../clock.ts'
import type { Readings } from '../options/readings.ts'
import type { EmulatorMember } from '../options/roster-options.ts'
import type { Randomness } from '../randomness.ts'
import type { Saved } from '../saved.ts'
import { serviceError } from '../service-error.ts'

/** A member as stored in the roster. */
interface MemberRow {
  readonly id: number
  readonly memberId: string
  readonly email: string
  readonly createdAt: Date
  firstName: string | null
  lastName: string | null
  role: MemberRole
  status: KnownMemberStatus
  svcId: string | null
  /** Token of the current activation link, or `undefined` if there is none. */
  token: string | undefined
}

/** Returns the key of an email. Emails that differ only in case are equal. */
export const emailKey = (email: string) => email.toLowerCase()

/** Formats a timestamp with its offset (contract, section 2.9). */
const timestamp = (date: Date) => date.toISOString().replace(/\.\d+Z$/, '+00:00')

/** Converts a row to the member of the organization API (contract, section 2.9). */
const toMember = (row: MemberRow): Member => ({
  id: row.id,
  member_id: row.memberId,
  first_name: row.firstName,
  last_name: row.lastName,
  email: row.email,
  role: row.role,
  status: row.status,
  svc_id: row.svcId,
  active: row.status === 'active',
  created_at: timestamp(row.createdAt),
})

/** Options of an add request (contract, section 4.9). */
export interface AddOptions {
  readonly notify: boolean
  readonly invite: InviteMethod
  /** Address of the service. Activation links start with it. */
  readonly origin: string
}

const activationLinkOf = ({ token }: MemberRow, origin: string) =>
  token === undefined ? null : activationAddress(token, origin)

interface RosterOptions {
  readonly members: readonly EmulatorMember[]
  readonly links: Readings['activationLinks']
  /** Called after a member was deactivated or removed, because that revokes their logins (contract, section 3.3). */
  readonly onDeactivated: (member: Member) => void
}

/** Stores the members. Their status changes only here (contract, section 3.3). */
export class Roster {
  /** By {@link emailKey}. */
  readonly #rows: Map<string, MemberRow>
  /** Identities by email. They outlive the membership, because removing a member never deletes the account. */
  readonly #identities: Map<string, string>
  readonly #context: { readonly clock: Clock; readonly random: Randomness }
  readonly #options: RosterOptions
  #lastId: number

  constructor(
    context: { readonly clock: Clock; readonly random: Randomness },
    options: RosterOptions,
    saved?: Saved<Roster>,
  ) {
    this.#context = context
    this.#options = options
    const { rows = [], identities, lastId = 0 }: Partial<Saved<Roster>> = saved ?? {}
    this.#rows = new Map(rows.map((row) => [emailKey(row.email), row]))
    this.#identities = new Map(identities)
    this.#lastId = lastId
    if (saved !== undefined) return
    for (const { status = 'active', svc_id, ...person } of options.members) {
      const row = this.#create(person)
      row.status = status
      if (status === 'link_sent') this.#renewLink(row)
      const hasIdentity = status === 'active' || status === 'deactivated'
      if (svc_id === null || (svc_id === undefined && !hasIdentity)) continue
      row.svcId = svc_id ?? this.#context.random.id('svc_')
      this.#identities.set(emailKey(row.email), row.svcId)
    }
  }

  save() {
    return { lastId: this.#lastId, rows: [...this.#rows.values()], identities: this.#identities }
  }

  /** Returns all members in the order in which they were added. */
  all(): readonly Member[] {
    return [...this.#rows.values()].map(toMember)
  }

  /** @param ref a `vmem_` id, an email or a `svc_id` */
  find(ref: string): Member | undefined {
    const row = this.#find(ref)
    return row && toMember(row)
  }

  add(people: readonly NewMember[], options: AddOptions): AddResult {
    const created: AddedMember[] = []
    const skipped: SkippedMember[] = []
    for (const person of people) {
      const existing = this.#rows.get(emailKey(person.email))
      if (existing !== undefined && existing.status !== 'deactivated') {
        skipped.push({ email: person.email, reason: 'duplicate' })
        continue
      }
      const row = existing === undefined ? this.#create(person) : this.#restore(existing, person)
      const added = this.#sendInvite(row, options)
      created.push(existing === undefined ? added : { ...added, reactivated: true })
    }
    const invited = created.some(({ invite_method }) => invite_method !== 'none')
    return { created, skipped, notified: options.notify && invited }
  }

  deactivate(ref: string): Member {
    const row = this.#requireForRequest(ref)
    row.status = 'deactivated'
    row.token = undefined
    this.#options.onDeactivated(toMember(row))
    return toMember(row)
  }

  /** Leaves a member who is not deactivated unchanged, because the contract documents no error for that. */
  reactivate(ref: string): Member {
    const row = this.#requireForRequest(ref)
    if (row.status === 'deactivated') row.status = row.svcId === null ? 'invited' : 'active'
    return toMember(row)
  }

  remove(ref: string, permanent: boolean): Removal {
    const row = this.#find(ref)
    if (row === undefined) return { member: null, already_removed: true }
    const member = this.deactivate(ref)
    if (!permanent) return { member }
    this.#rows.delete(emailKey(row.email))
    return { member: null, removed: true }
  }

  invite(ref: string, origin: string): InviteResult {
    const row = this.#requireForRequest(ref)
    if (row.status === 'active') throw serviceError('already_active')
    if (row.status === 'deactivated') throw serviceError('deactivated')
    this.#renewLink(row)
    row.status = 'link_sent'
    return { member: toMember(row), activation_link: activationLinkOf(row, origin) as string }
  }

  /**
   * Connects the person's identity by face, so that the member becomes active.
   *
   * @param ref also the activation link itself
   */
  activate(ref: string): Member {
    const link = activationToken(ref)
    const row = link === undefined ? this.#requireForControl('members.activate', ref) : this.#findByToken(link)
    if (row === undefined)
      throw new EmulatorError({
        message: 'members.activate: the activation link is unknown or no longer valid.',
      })
    if (row.status === 'active' || row.status === 'deactivated')
      throw new EmulatorError({
        message: `members.activate: the member cannot be activated, because the status is ${row.status}: ${ref}`,
      })
    const key = emailKey(row.email)
    row.svcId = this.#identities.get(key) ?? this.#context.random.id('svc_')
    this.#identities.set(key, row.svcId)
    row.status = 'active'
    row.token = undefined
    return toMember(row)
  }

  /** Deletes the person's identity. The status stays the same, because the contract documents no effect on it. */
  removeIdentity(ref: string): Member {
    const row = this.#requireForControl('members.removeIdentity', ref)
    this.#identities.delete(emailKey(row.email))
    row.svcId = null
    return toMember(row)
  }

  /** Returns the member whom an activation link invites, or `undefined` if the link is unknown or no longer valid. */
  invited(token: string): Member | undefined {
    const row = this.#findByToken(token)
    return row && toMember(row)
  }

  /** Returns the current activation link of a member, as the email contains it. */
  activationLink(ref: string, origin: string): string | null {
    return activationLinkOf(this.#requireForControl('members.activationLink', ref), origin)
  }

  #find(ref: string): MemberRow | undefined {
    const byEmail = this.#rows.get(emailKey(ref))
    if (byEmail !== undefined) return byEmail
    return [...this.#rows.values()].find(({ memberId, svcId }) => memberId === ref || svcId === ref)
  }

  #findByToken(token: string): MemberRow | undefined {
    return [...this.#rows.values()].find((row) => row.token === token)
  }

  #requireForRequest(ref: string): MemberRow {
    const row = this.#find(ref)
    if (row === undefined) throw serviceError('not_found')
    return row
  }

  #requireForControl(call: string, ref: string): MemberRow {
    const row = this.#find(ref)
    if (row === undefined) throw new EmulatorError({ message: `${call}: the member does not exist: ${ref}` })
    return row
  }

  #create({ email, first_name, last_name, role }: NewMember): MemberRow {
    const { clock, random } = this.#context
    this.#lastId += 1
    const row: MemberRow = {
      id: this.#lastId,
      memberId: random.id(memberIdPrefix),
      email,
      createdAt: clock.now(),
      firstName: first_name ?? null,
      lastName: last_name ?? null,
      role: (role as MemberRow['role'] | undefined) ?? 'member',
      status: 'invited',
      svcId: null,
      token: undefined,
    }
    this.#rows.set(emailKey(email), row)
    return row
  }

  /** Reactivates a member who is added again. Fields of the request replace stored ones; missing fields stay. */
  #restore(row: MemberRow, { first_name, last_name, role }: NewMember): MemberRow {
    row.firstName = first_name ?? row.firstName
    row.lastName = last_name ?? row.lastName
    row.role = (role as MemberRow['role'] | undefined) ?? row.role
    row.status = row.svcId === null ? 'invited' : 'active'
    return row
  }

  /** Invites a new member. `auto` selects the face invite, because only that one can return a link. */
  #sendInvite(row: MemberRow, { notify, invite, origin }: AddOptions): AddedMember {
    if (row.status === 'active') return { ...toMember(row), activation_link: null, invite_method: 'none' }
    if (invite === 'email') return { ...toMember(row), activation_link: null, invite_method: notify ? 'email' : 'none' }
    this.#renewLink(row)
    row.status = 'link_sent'
    const isReturned = !notify || this.#options.links === 'always'
    return {
      ...toMember(row),
      activation_link: isReturned ? activationLinkOf(row, origin) : null,
      invite_method: 'face',
    }
  }

  #renewLink(row: MemberRow): void {
    row.token = this.#context.random.id('')
  }
}

import {
  type AddedMember,
  type AddResult,
  type InviteResult,
  type Member,
  memberIdPrefix,
  type RemoveResult,
  type SkippedMember,
} from '../../../contract/organization/member-results.ts'
import type { InviteMethod, NewMember } from '../../../contract/organization/members.ts'
import { EmulatorError } from '../../emulator-error.ts'
import type { ActivationLinkRule, EmulatorMember } from '../../options/roster-options.ts'
import { activationAddress, activationToken } from '../../pages/addresses.ts'
import { serviceError } from '../../server/service-error.ts'
import type { Clock } from '../clock.ts'
import type { Randomness } from '../randomness.ts'
import { emailKey, type MemberRow, toMember } from './member-row.ts'

/** How members are added (contract, section 4.9). */
export interface AddOptions {
  readonly notify: boolean
  readonly invite: InviteMethod
  /** Where the service was reached: links lead there. */
  readonly origin: string
}

const linkOf = ({ token }: MemberRow, origin: string) =>
  token === undefined ? null : activationAddress(token, origin)

/** An activation link that was given out: whose it is, or why it counts no longer. */
export type Invitation =
  | { readonly state: 'open'; readonly member: Member }
  /** The person has connected their identity. */
  | { readonly state: 'accepted' }
  /** A later link took its place, or the member was deactivated or removed. */
  | { readonly state: 'over' }

interface RosterTerms {
  readonly members: readonly EmulatorMember[]
  readonly links: ActivationLinkRule
  /** Called when a member was deactivated or removed: their logins end (contract, section 3.3). */
  readonly onGone: (member: Member) => void
}

/** The members and the one place where their status changes (contract, section 3.3). */
export class Roster {
  /** By email. */
  readonly #rows = new Map<string, MemberRow>()
  /** Identities by email: they outlive the membership, since an account is never deleted here. */
  readonly #identities = new Map<string, string>()
  readonly #around: { readonly clock: Clock; readonly random: Randomness }
  readonly #terms: RosterTerms
  /** Every activation link that was given out, by its token. */
  readonly #invitations = new Map<string, MemberRow>()
  #lastId = 0

  constructor(around: { readonly clock: Clock; readonly random: Randomness }, terms: RosterTerms) {
    this.#around = around
    this.#terms = terms
    for (const { status = 'active', svc_id, ...person } of terms.members) {
      const row = this.#create(person)
      row.status = status
      if (status === 'link_sent') this.#renewLink(row)
      const hasIdentity = status === 'active' || status === 'deactivated'
      if (svc_id === null || (svc_id === undefined && !hasIdentity)) continue
      row.svcId = svc_id ?? this.#around.random.id('svc_')
      this.#identities.set(emailKey(row.email), row.svcId)
    }
  }

  /** In the order in which they were added. */
  all(): readonly Member[] {
    return [...this.#rows.values()].map(toMember)
  }

  /** @param ref a `vmem_` id, an email or a `svc_id` */
  find(ref: string): Member | undefined {
    const row = this.#find(ref)
    return row && toMember(row)
  }

  add(people: readonly NewMember[], terms: AddOptions): AddResult {
    const created: AddedMember[] = []
    const skipped: SkippedMember[] = []
    for (const person of people) {
      const before = this.#rows.get(emailKey(person.email))
      if (before !== undefined && before.status !== 'deactivated') {
        skipped.push({ email: person.email, reason: 'duplicate' })
        continue
      }
      const row = before === undefined ? this.#create(person) : this.#bringBack(before, person)
      const added = this.#welcome(row, terms)
      created.push(before === undefined ? added : { ...added, reactivated: true })
    }
    const invited = created.some(({ invite_method }) => invite_method !== 'none')
    return { created, skipped, notified: terms.notify && invited }
  }

  deactivate(ref: string): Member {
    const row = this.#require(ref)
    row.status = 'deactivated'
    row.token = undefined
    this.#terms.onGone(toMember(row))
    return toMember(row)
  }

  /** One who is not deactivated stays as they are: the contract names no error for it. */
  reactivate(ref: string): Member {
    const row = this.#require(ref)
    if (row.status === 'deactivated') row.status = row.svcId === null ? 'invited' : 'active'
    return toMember(row)
  }

  remove(ref: string, permanent: boolean): RemoveResult {
    const row = this.#find(ref)
    if (row === undefined) return { member: null, already_removed: true }
    const member = this.deactivate(ref)
    if (!permanent) return { member }
    this.#rows.delete(emailKey(row.email))
    return { member: null, removed: true }
  }

  invite(ref: string, origin: string): InviteResult {
    const row = this.#require(ref)
    if (row.status === 'active') throw serviceError('already_active')
    if (row.status === 'deactivated') throw serviceError('deactivated')
    this.#renewLink(row)
    row.status = 'link_sent'
    return { member: toMember(row), activation_link: linkOf(row, origin) as string }
  }

  /**
   * The person follows their link and connects their identity by face.
   *
   * @param ref also the link itself
   */
  activate(ref: string): Member {
    const link = activationToken(ref)
    const row = link === undefined ? this.#known(ref) : this.#invitations.get(link)
    if (row === undefined || (link !== undefined && row.token !== link))
      throw new EmulatorError('the activation link does not count, or no longer')
    if (row.status === 'active' || row.status === 'deactivated')
      throw new EmulatorError(`member ${ref} is ${row.status}: there is nothing to activate`)
    const key = emailKey(row.email)
    row.svcId = this.#identities.get(key) ?? this.#around.random.id('svc_')
    this.#identities.set(key, row.svcId)
    row.status = 'active'
    row.token = undefined
    return toMember(row)
  }

  /** The person deletes their identity. The status stays what it was: the contract does not connect the two. */
  removeIdentity(ref: string): Member {
    const row = this.#known(ref)
    this.#identities.delete(emailKey(row.email))
    row.svcId = null
    return toMember(row)
  }

  /** @param token last segment of an activation link; @returns `undefined` for one that was never given out */
  invitation(token: string): Invitation | undefined {
    const row = this.#invitations.get(token)
    if (row === undefined) return undefined
    if (row.token === token) return { state: 'open', member: toMember(row) }
    return { state: row.status === 'active' ? 'accepted' : 'over' }
  }

  /** As the email had it. */
  activationLink(ref: string, origin: string): string | null {
    return linkOf(this.#known(ref), origin)
  }

  #find(ref: string): MemberRow | undefined {
    const byEmail = this.#rows.get(emailKey(ref))
    if (byEmail !== undefined) return byEmail
    return [...this.#rows.values()].find(({ memberId, svcId }) => memberId === ref || svcId === ref)
  }

  #require(ref: string): MemberRow {
    const row = this.#find(ref)
    if (row === undefined) throw serviceError('not_found')
    return row
  }

  #known(ref: string): MemberRow {
    const row = this.#find(ref)
    if (row === undefined) throw new EmulatorError(`no member is known as ${ref}`)
    return row
  }

  #create({ email, first_name, last_name, role }: NewMember): MemberRow {
    const { clock, random } = this.#around
    this.#lastId += 1
    const row: MemberRow = {
      id: this.#lastId,
      memberId: random.id(memberIdPrefix),
      email,
      createdAt: clock.now(),
      firstName: first_name ?? null,
      lastName: last_name ?? null,
      role: role ?? 'member',
      status: 'invited',
      svcId: null,
      token: undefined,
    }
    this.#rows.set(emailKey(email), row)
    return row
  }

  /** What is told anew replaces what was known; the rest stays, the role included. */
  #bringBack(row: MemberRow, { first_name, last_name, role }: NewMember): MemberRow {
    row.firstName = first_name ?? row.firstName
    row.lastName = last_name ?? row.lastName
    row.role = role ?? row.role
    row.status = row.svcId === null ? 'invited' : 'active'
    return row
  }

  /** Invites one who has to show their face. `auto` is by face: only so can `notify: false` return a link. */
  #welcome(row: MemberRow, { notify, invite, origin }: AddOptions): AddedMember {
    if (row.status === 'active') return { ...toMember(row), activation_link: null, invite_method: 'none' }
    if (invite === 'email')
      return { ...toMember(row), activation_link: null, invite_method: notify ? 'email' : 'none' }
    this.#renewLink(row)
    row.status = 'link_sent'
    const isReturned = !notify || this.#terms.links === 'always'
    return {
      ...toMember(row),
      activation_link: isReturned ? linkOf(row, origin) : null,
      invite_method: 'face',
    }
  }

  #renewLink(row: MemberRow): void {
    row.token = this.#around.random.id('')
    this.#invitations.set(row.token, row)
  }
}

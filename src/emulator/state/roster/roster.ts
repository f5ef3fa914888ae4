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
import { keyOf, type Row, shown } from './member-row.ts'

/** How members are added (contract, section 4.9). */
export interface AddTerms {
  readonly notify: boolean
  readonly invite: InviteMethod
  /** Where the service was reached: links lead there. */
  readonly origin: string
}

const linkOf = ({ token }: Row, origin: string) =>
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
  readonly #rows = new Map<string, Row>()
  /** Identities by email: they outlive the membership, since an account is never deleted here. */
  readonly #identities = new Map<string, string>()
  readonly #around: { readonly clock: Clock; readonly random: Randomness }
  readonly #terms: RosterTerms
  /** Every activation link that was given out, by its token. */
  readonly #invitations = new Map<string, Row>()
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
      this.#identities.set(keyOf(row.email), row.svcId)
    }
  }

  /** In the order in which they were added. */
  all(): readonly Member[] {
    return [...this.#rows.values()].map(shown)
  }

  /** @param ref a `vmem_` id, an email or a `svc_id` */
  find(ref: string): Member | undefined {
    const row = this.#find(ref)
    return row && shown(row)
  }

  add(people: readonly NewMember[], terms: AddTerms): AddResult {
    const created: AddedMember[] = []
    const skipped: SkippedMember[] = []
    for (const person of people) {
      const before = this.#rows.get(keyOf(person.email))
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
    this.#terms.onGone(shown(row))
    return shown(row)
  }

  /** One who is not deactivated stays as they are: the contract names no error for it. */
  reactivate(ref: string): Member {
    const row = this.#require(ref)
    if (row.status === 'deactivated') row.status = row.svcId === null ? 'invited' : 'active'
    return shown(row)
  }

  remove(ref: string, permanent: boolean): RemoveResult {
    const row = this.#find(ref)
    if (row === undefined) return { member: null, already_removed: true }
    const member = this.deactivate(ref)
    if (!permanent) return { member }
    this.#rows.delete(keyOf(row.email))
    return { member: null, removed: true }
  }

  invite(ref: string, origin: string): InviteResult {
    const row = this.#require(ref)
    if (row.status === 'active') throw serviceError('already_active')
    if (row.status === 'deactivated') throw serviceError('deactivated')
    this.#renewLink(row)
    row.status = 'link_sent'
    return { member: shown(row), activation_link: linkOf(row, origin) as string }
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
    const key = keyOf(row.email)
    row.svcId = this.#identities.get(key) ?? this.#around.random.id('svc_')
    this.#identities.set(key, row.svcId)
    row.status = 'active'
    row.token = undefined
    return shown(row)
  }

  /** The person deletes their identity. The status stays what it was: the contract does not connect the two. */
  removeIdentity(ref: string): Member {
    const row = this.#known(ref)
    this.#identities.delete(keyOf(row.email))
    row.svcId = null
    return shown(row)
  }

  /** @param token last segment of an activation link; @returns `undefined` for one that was never given out */
  invitation(token: string): Invitation | undefined {
    const row = this.#invitations.get(token)
    if (row === undefined) return undefined
    if (row.token === token) return { state: 'open', member: shown(row) }
    return { state: row.status === 'active' ? 'accepted' : 'over' }
  }

  /** As the email had it. */
  activationLink(ref: string, origin: string): string | null {
    return linkOf(this.#known(ref), origin)
  }

  #find(ref: string): Row | undefined {
    const byEmail = this.#rows.get(keyOf(ref))
    if (byEmail !== undefined) return byEmail
    return [...this.#rows.values()].find(({ memberId, svcId }) => memberId === ref || svcId === ref)
  }

  #require(ref: string): Row {
    const row = this.#find(ref)
    if (row === undefined) throw serviceError('not_found')
    return row
  }

  #known(ref: string): Row {
    const row = this.#find(ref)
    if (row === undefined) throw new EmulatorError(`no member is known as ${ref}`)
    return row
  }

  #create({ email, first_name, last_name, role }: NewMember): Row {
    const { clock, random } = this.#around
    this.#lastId += 1
    const row: Row = {
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
    this.#rows.set(keyOf(email), row)
    return row
  }

  /** What is told anew replaces what was known; the rest stays, the role included. */
  #bringBack(row: Row, { first_name, last_name, role }: NewMember): Row {
    row.firstName = first_name ?? row.firstName
    row.lastName = last_name ?? row.lastName
    row.role = role ?? row.role
    row.status = row.svcId === null ? 'invited' : 'active'
    return row
  }

  /** Invites one who has to show their face. `auto` is by face: only so can `notify: false` return a link. */
  #welcome(row: Row, { notify, invite, origin }: AddTerms): AddedMember {
    if (row.status === 'active') return { ...shown(row), activation_link: null, invite_method: 'none' }
    if (invite === 'email')
      return { ...shown(row), activation_link: null, invite_method: notify ? 'email' : 'none' }
    this.#renewLink(row)
    row.status = 'link_sent'
    const isReturned = !notify || this.#terms.links === 'always'
    return {
      ...shown(row),
      activation_link: isReturned ? linkOf(row, origin) : null,
      invite_method: 'face',
    }
  }

  #renewLink(row: Row): void {
    row.token = this.#around.random.id('')
    this.#invitations.set(row.token, row)
  }
}

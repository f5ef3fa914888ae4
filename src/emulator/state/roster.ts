import {
  type AddedMember,
  type AddResult,
  type InviteMethod,
  type InviteResult,
  type Member,
  type MemberRole,
  memberIdPrefix,
  type memberStatuses,
  type NewMember,
  type RemoveResult,
  type SkippedMember,
} from '../../contract/roster.ts'
import { EmulatorError } from '../emulator-error.ts'
import { refuse } from '../refusal.ts'
import type { ActivationLinkRule, EmulatorMember } from '../roster-options.ts'
import type { Clock } from './clock.ts'
import type { Randomness } from './randomness.ts'

type KnownStatus = (typeof memberStatuses)[number]

interface Row {
  readonly id: number
  readonly memberId: string
  readonly email: string
  readonly createdAt: Date
  firstName: string | null
  lastName: string | null
  role: MemberRole
  status: KnownStatus
  svcId: string | null
  /** Last segment of the activation link that counts; `undefined` where there is none. */
  token: string | undefined
}

/** How members are added (contract, section 4.9). */
export interface AddTerms {
  readonly notify: boolean
  readonly invite: InviteMethod
  /** Where the service was reached: links lead there. */
  readonly origin: string
}

/** Emails that differ in case alone are one: people do not tell them apart. */
const keyOf = (email: string) => email.toLowerCase()

const linkOf = ({ token }: Row, origin: string) =>
  token === undefined ? null : `${origin}/activate/${token}`

/** With its offset, as the contract shows it (section 2.9). */
const timestamp = (date: Date) => date.toISOString().replace(/\.\d+Z$/, '+00:00')

const shown = (row: Row): Member => ({
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

/** The members and the one place where their status changes (contract, section 3.3). */
export class Roster {
  /** By email. */
  readonly #rows = new Map<string, Row>()
  /** Identities by email: they outlive the membership, since an account is never deleted here. */
  readonly #identities = new Map<string, string>()
  readonly #around: { readonly clock: Clock; readonly random: Randomness }
  readonly #links: ActivationLinkRule
  #lastId = 0

  constructor(
    around: { readonly clock: Clock; readonly random: Randomness },
    { members, links }: { readonly members: readonly EmulatorMember[]; readonly links: ActivationLinkRule },
  ) {
    this.#around = around
    this.#links = links
    for (const { status = 'active', svc_id, ...person } of members) {
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
    if (!permanent) return { member: this.deactivate(ref) }
    this.#rows.delete(keyOf(row.email))
    return { member: null, removed: true }
  }

  invite(ref: string, origin: string): InviteResult {
    const row = this.#require(ref)
    if (row.status === 'active') throw refuse('already_active')
    if (row.status === 'deactivated') throw refuse('deactivated')
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
    const link = /\/activate\/(\w+)$/.exec(ref)?.[1]
    const row =
      link === undefined ? this.#known(ref) : [...this.#rows.values()].find(({ token }) => token === link)
    if (row === undefined) throw new EmulatorError('the activation link does not count, or no longer')
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
    if (row === undefined) throw refuse('not_found')
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
    const isReturned = !notify || this.#links === 'always'
    return {
      ...shown(row),
      activation_link: isReturned ? linkOf(row, origin) : null,
      invite_method: 'face',
    }
  }

  #renewLink(row: Row): void {
    row.token = this.#around.random.id('')
  }
}

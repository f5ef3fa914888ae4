import type { Member } from '../../contract/organization/member-results.ts'
import type { Roster } from '../state/roster/roster.ts'

/** What the people on the roster do themselves. Each is told by `vmem_` id, email or `svc_id`. */
export interface MemberControls {
  /**
   * They follow their activation link and connect their identity by face: the member is active.
   *
   * @param id also the link itself
   * @throws {EmulatorError} no such member, nothing to activate, or a link that was superseded
   * @see service contract, section 3.3
   *
   * @example
   * const { status } = emulator.members.activate('bo@example.com')
   */
  activate(id: string): Member
  /**
   * The link that they were emailed last; `null` where none counts.
   *
   * @throws {EmulatorError} no such member
   * @see service contract, section 3.3
   *
   * @example
   * const link = emulator.members.activationLink('bo@example.com')
   */
  activationLink(id: string): string | null
  /**
   * They delete their identity: `reactivate` then gives `invited`. The status itself stays.
   *
   * @throws {EmulatorError} no such member
   * @see service contract, section 3.3
   *
   * @example
   * emulator.members.removeIdentity('ada@example.com')
   */
  removeIdentity(id: string): Member
}

/** @param roster asked at each call: a reset makes a new one */
export function memberControls(roster: () => Roster, origin: () => string): MemberControls {
  return {
    activate: (id) => roster().activate(id),
    activationLink: (id) => roster().activationLink(id, origin()),
    removeIdentity: (id) => roster().removeIdentity(id),
  }
}

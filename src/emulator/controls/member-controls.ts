import type { Member } from '../../contract/organization/member-results.ts'
import type { Roster } from '../state/roster/roster.ts'

/** Simulates the people on the roster. Members are identified by `vmem_` id, email or `svc_id`. */
export interface MemberControls {
  /**
   * Simulates a person who follows their activation link and connects their identity by face: the member becomes
   * active.
   *
   * @param id also the activation link itself
   * @throws {EmulatorError} the member does not exist, the member is active or deactivated, or the link is not valid
   *
   * @example
   * const { status } = emulator.members.activate('bo@example.com')
   */
  readonly activate: (id: string) => Member
  /**
   * Returns the activation link that the member was emailed last, or `null` if no link is valid.
   *
   * @throws {EmulatorError} the member does not exist
   *
   * @example
   * const link = emulator.members.activationLink('bo@example.com')
   */
  readonly activationLink: (id: string) => string | null
  /**
   * Simulates a person who deletes their identity. The member's status stays the same, but a later `reactivate` results in `invited`.
   *
   * @throws {EmulatorError} the member does not exist
   *
   * @example
   * emulator.members.removeIdentity('ada@example.com')
   */
  readonly removeIdentity: (id: string) => Member
}

/** @param roster called by each control, because a reset creates a new roster */
export function memberControls(roster: () => Roster, origin: () => string): MemberControls {
  return {
    activate: (id) => roster().activate(id),
    activationLink: (id) => roster().activationLink(id, origin()),
    removeIdentity: (id) => roster().removeIdentity(id),
  }
}

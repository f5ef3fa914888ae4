import type { RosterChange, RosterPlanJson } from 'identity-service-sdk'
import { type Styled, styled } from '../shell.ts'

/** How a change is printed, by its action. */
export const signs = {
  add: { sign: '+', style: 'green' },
  reactivate: { sign: '~', style: 'yellow' },
  remove: { sign: '-', style: 'red' },
} as const

/** Returns the person whom a change is about. */
export const personOf = (change: RosterChange) => (change.action === 'add' ? change.desired : change.member)

/** The words for a removal of a permanent plan. */
export const deletion = 'delete permanently'

/** Returns the printed line of a change. */
export function lineOf(change: RosterChange, plan: RosterPlanJson): readonly (string | Styled)[] {
  const { sign, style } = signs[change.action]
  const { email, first_name, last_name, role } = personOf(change)
  const name = [first_name, last_name].filter(Boolean).join(' ')
  const details = [
    name,
    role !== undefined && role !== 'member' && role,
    change.action === 'reactivate' && 'reactivate',
    change.action === 'remove' && plan.remove === 'permanent' && deletion,
  ]
  return [styled(style, `${sign} ${email}`), ...details.filter(Boolean).map((detail) => `  ${detail}`)]
}

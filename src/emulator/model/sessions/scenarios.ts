import type { CheckOutcomes } from '../checks/outcome.ts'
import { checkTypesOf, type HostedSession } from './hosted-session.ts'
import { type SessionEnd, sessionEndNames } from './sessions.ts'

/**
 * Values of `vendor_data` with which a session ends by itself, and how. `<check>` is a type of check of its workflow.
 */
export const scenarios = {
  'emu:approved': 'all checks pass, and the session is approved',
  'emu:declined': 'the first check fails, and the session is declined',
  'emu:declined:<check>': 'that check alone fails, and the session is declined',
  'emu:review': 'the session waits for a review',
  'emu:abandoned': 'the person leaves before the end',
  'emu:expired': 'the session expires',
} as const

const declined = 'emu:declined:'

/** Returns how a session ends by itself. `undefined` if its `vendor_data` selects no scenario. */
export function scenarioOf(
  session: HostedSession,
): { readonly status: SessionEnd; readonly checks: CheckOutcomes } | undefined {
  const { vendorData = '' } = session
  const status = sessionEndNames.find((end) => vendorData === `emu:${end.replace('IN_', '').toLowerCase()}`)
  if (status !== undefined) return { status, checks: {} }
  const check = vendorData.startsWith(declined) ? vendorData.slice(declined.length) : undefined
  const failed = checkTypesOf(session).find((type) => type === check)
  return failed && { status: 'DECLINED', checks: { [failed]: 'failed' } }
}

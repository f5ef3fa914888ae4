/**
 * The service in memory, for tests and for development. It verifies nobody.
 *
 * @module identity-service-sdk/emulator
 */

export type { CheckOutcome, CheckOutcomes, ToldOutcome } from './emulator/checks/outcome.ts'
export type {
  Emulator,
  InProcessOidcOptions,
  InProcessOptions,
  InProcessOrganizationOptions,
} from './emulator/controls.ts'
export { createEmulator } from './emulator/emulator.ts'
export { EmulatorError } from './emulator/emulator-error.ts'
export type { License } from './emulator/license-board.ts'
export type { EmulatorServer, ListenOptions } from './emulator/listen.ts'
export type { MemberControls } from './emulator/member-controls.ts'
export type { EmulatorOptions, EmulatorWalletOptions, EmulatorWebhookOptions } from './emulator/options.ts'
export type {
  ActivationLinkRule,
  EmulatorBillingOptions,
  EmulatorMember,
  EmulatorOrganizationOptions,
  InviteLimitRule,
} from './emulator/roster-options.ts'
export type { SignInControls } from './emulator/sign-in-controls.ts'
export type { EmulatorOidcOptions, EmulatorUser } from './emulator/sign-in-options.ts'
export type { Delivery } from './emulator/state/deliveries.ts'
export type { DeliveryAttempt } from './emulator/state/delivery-attempt.ts'
export type { DeliveryFault } from './emulator/state/delivery-faults.ts'
export type { Fault, FaultMatch } from './emulator/state/faults.ts'
export type { Malformation } from './emulator/state/malformed-answer.ts'
export type { RecordedRequest } from './emulator/state/recorded-request.ts'
export type { OverrideRule, SessionEnd } from './emulator/state/sessions.ts'
export type { LedgerEntry } from './emulator/state/wallet.ts'

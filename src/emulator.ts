/**
 * A local emulator of the service, for tests and for development. Nothing is verified.
 *
 * @module identity-service-sdk/emulator
 */

// So that what the entries share is one file of the build.
import './index.ts'

export type { License } from './emulator/checks/license-board.ts'
export type { CheckOutcome, CheckOutcomes, ScriptedOutcome } from './emulator/checks/outcome.ts'
export type {
  Emulator,
  InProcessOidcOptions,
  InProcessOptions,
  InProcessOrganizationOptions,
  MemberControls,
  SignInControls,
} from './emulator/controls/controls.ts'
export { createEmulator } from './emulator/emulator.ts'
export type {
  EmulatorOptions,
  EmulatorWalletOptions,
  EmulatorWebhookOptions,
  EmulatorWorkflow,
} from './emulator/options/options.ts'
export type { EmulatorReadings } from './emulator/options/readings.ts'
export type {
  EmulatorBillingOptions,
  EmulatorMember,
  EmulatorOrganizationOptions,
} from './emulator/options/roster-options.ts'
export type { EmulatorOidcOptions, EmulatorUser } from './emulator/options/sign-in-options.ts'
export type { EmulatorServer, ListenOptions } from './emulator/server/listen.ts'
export type { EmulatorSnapshot } from './emulator/snapshots/snapshot.ts'
export type { FaultCode, UnlistedCode } from './emulator/state/faults/fault-code.ts'
export type {
  FaultMatch,
  FaultOperation,
  FaultRoute,
  FaultTarget,
} from './emulator/state/faults/fault-match.ts'
export type { Fault } from './emulator/state/faults/faults.ts'
export type { Malformation } from './emulator/state/faults/malformed-response.ts'
export type { RecordedRequest } from './emulator/state/request-log.ts'
export type { SessionEnd } from './emulator/state/sessions/sessions.ts'
export type { LedgerEntry } from './emulator/state/wallet.ts'
export type { Delivery } from './emulator/state/webhooks/deliveries.ts'
export type { DeliveryAttempt } from './emulator/state/webhooks/delivery-attempt.ts'
export type { DeliveryFault } from './emulator/state/webhooks/delivery-faults.ts'
export { EmulatorError } from './errors/sdk-error.ts'

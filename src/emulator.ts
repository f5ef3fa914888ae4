/**
 * A local emulator of the service, for tests and for development. Nothing is verified.
 *
 * @module identity-service-sdk/emulator
 */

export type {
  Emulator,
  EmulatorServer,
  InProcessOidcOptions,
  InProcessOptions,
  InProcessOrganizationOptions,
  ListenOptions,
  MemberControls,
  SignInControls,
} from './emulator/controls/controls.ts'
export { createEmulator } from './emulator/emulator.ts'
export type { License } from './emulator/model/checks/license-board.ts'
export type { CheckOutcome, CheckOutcomes, ScriptedOutcome } from './emulator/model/checks/outcome.ts'
export type { FaultCode, UnlistedCode } from './emulator/model/faults/fault-code.ts'
export type {
  FaultMatch,
  FaultOperation,
  FaultRoute,
  FaultTarget,
} from './emulator/model/faults/fault-match.ts'
export type { Fault } from './emulator/model/faults/faults.ts'
export type { Malformation } from './emulator/model/faults/malformed-response.ts'
export type {
  EmulatorOptions,
  EmulatorWalletOptions,
  EmulatorWebhookOptions,
  EmulatorWorkflow,
} from './emulator/model/options/options.ts'
export type { EmulatorReadings } from './emulator/model/options/readings.ts'
export type {
  EmulatorBillingOptions,
  EmulatorMember,
  EmulatorOrganizationOptions,
} from './emulator/model/options/roster-options.ts'
export type { EmulatorOidcOptions, EmulatorUser } from './emulator/model/options/sign-in-options.ts'
export type { RecordedRequest } from './emulator/model/request-log.ts'
export type { SessionEnd } from './emulator/model/sessions/sessions.ts'
export type { EmulatorSnapshot } from './emulator/model/snapshot.ts'
export type { LedgerEntry } from './emulator/model/wallet.ts'
export type { Delivery } from './emulator/model/webhooks/deliveries.ts'
export type { DeliveryAttempt } from './emulator/model/webhooks/delivery-attempt.ts'
export type { DeliveryFault } from './emulator/model/webhooks/delivery-faults.ts'
export { EmulatorError } from './errors/sdk-error.ts'

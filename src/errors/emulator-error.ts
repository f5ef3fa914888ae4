import { SdkError } from './sdk-error.ts'

/** A control of the emulator was called with something that is not possible, such as the id of an unknown session. */
export class EmulatorError extends SdkError {
  readonly code = 'emulator_misused'

  override get name() {
    return 'EmulatorError' as const
  }
}

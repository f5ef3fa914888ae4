import { SdkError } from '../errors/sdk-error.ts'

/** A control of the emulator was asked for something that cannot be, such as completing an unknown session. */
export class EmulatorError extends SdkError {
  readonly code = 'emulator_misused'

  override get name() {
    return 'EmulatorError' as const
  }
}

import type { SdkError } from './sdk-error.ts'

/** What a check throws that runs for several calls. It becomes an error when the name of the call is known. */
export class Rejection {
  /** Creates the error. Its message starts with the name of the call. */
  readonly errorOf: (call: string) => SdkError

  constructor(errorOf: (call: string) => SdkError) {
    this.errorOf = errorOf
  }
}

/** Returns the error of a call for what its checks threw. */
export const errorIn = (call: string, thrown: unknown): unknown =>
  thrown instanceof Rejection ? thrown.errorOf(call) : thrown

/** Runs checks for a call. What they throw becomes its error. */
export async function inCall<T>(call: string, check: () => T): Promise<Awaited<T>> {
  try {
    return await check()
  } catch (thrown) {
    throw errorIn(call, thrown)
  }
}

import type { SdkError } from './sdk-error.ts'

/** Thrown by a check that several operations share. It becomes an error where the name of the operation is known. */
export class Rejection {
  /** Creates the error. Its message starts with the operation. */
  readonly errorOf: (operation: string) => SdkError

  constructor(errorOf: (operation: string) => SdkError) {
    this.errorOf = errorOf
  }
}

/** Returns the error of an operation for what its checks threw. */
export const errorIn = (operation: string, thrown: unknown): unknown =>
  thrown instanceof Rejection ? thrown.errorOf(operation) : thrown

/** Runs checks for an operation. What they throw becomes its error. */
export async function inCall<T>(operation: string, check: () => T): Promise<Awaited<T>> {
  try {
    return await check()
  } catch (thrown) {
    throw errorIn(operation, thrown)
  }
}

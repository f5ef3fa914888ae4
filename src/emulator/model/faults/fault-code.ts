import { documentedCodes } from '../../../contract/documented-codes.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { errorCatalog, type KnownErrorCode } from '../../../contract/errors/catalog.ts'
import type { DocumentedCode } from '../../../contract/operations.ts'
import { EmulatorError } from '../../../errors/sdk-error.ts'
import { nearestName } from '../../../options/nearest-name.ts'
import type { FaultMatch, FaultOperation, FaultRoute, FaultTarget } from './fault-match.ts'

/** A code that the contract does not name for the operation: one of another operation, or one that it does not list. */
export interface UnlistedCode {
  /** The code, as it is sent. */
  readonly unlisted: KnownErrorCode | (string & {})
}

/** The code of a fault: one that the contract names for the operation that `match` selects, or any other, marked. */
export type FaultCode<Target extends FaultTarget = FaultTarget> = DocumentedCode<OperationsAt<Target>> | UnlistedCode

/** The operations that a target selects: all of them, if it is not a name, and not a method and a path. */
type OperationsAt<Target> = Target extends FaultOperation
  ? Target
  : Target extends string
    ? {
        [Operation in FaultOperation]: Target extends FaultRoute<Operation> ? Operation : never
      }[FaultOperation]
    : Target extends Required<Pick<FaultMatch<infer Operation>, 'operation'>>
      ? Operation
      : FaultOperation

/**
 * Reads the code of a fault.
 *
 * @param matched the endpoints that the fault applies to. One of them must document the code
 * @throws {EmulatorError} the code is not documented, and not marked as unlisted
 */
export function readCode(code: string | UnlistedCode | undefined, matched: readonly Endpoint[]): string | undefined {
  if (typeof code === 'object' || code === undefined) return code?.unlisted
  const documented = [...new Set<string>(matched.flatMap(documentedCodes))]
  if (documented.includes(code)) return code
  const [only, ...others] = matched
  const subject = only && others.length === 0 ? only.operation : 'the matched operations'
  const isOfCatalog = Object.hasOwn(errorCatalog(), code)
  const nearest = isOfCatalog ? undefined : nearestName(code, [...documented, ...Object.keys(errorCatalog())])
  const next = nearest === undefined ? `The codes are ${documented.join(', ')}.` : `Did you mean ${nearest}?`
  throw new EmulatorError({
    message: `faults.add: code: the contract does not name ${JSON.stringify(code)} for ${subject}. ${next} To send another code, pass { unlisted: ${JSON.stringify(code)} }`,
  })
}

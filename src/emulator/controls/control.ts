import * as z from 'zod/mini'
import type { Endpoint } from '../../contract/endpoint.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import { readFields } from '../model/options/fields.ts'
import type { ServiceState } from '../model/service-state.ts'

/** An emulator, as its controls see it. */
export interface ControlledEmulator {
  /** A reset and a restore replace it. */
  readonly state: ServiceState
  /** The endpoints that it serves. */
  readonly served: readonly Endpoint[]
  /** Address of the emulator. Addresses in results start with it. */
  readonly baseUrl: string
  replaceState(next: ServiceState): void
}

/** Something that the emulator can be made to do, or to show, in process, over HTTP and in the console. */
export interface Control<Input = unknown, Result = unknown> {
  /** The name of the in-process control. Errors start with it. */
  readonly name: string
  /** Method and path below the control API. A name in braces is a field. */
  readonly route: `${'GET' | 'POST' | 'DELETE'} /${string}`
  /** What it does, as a sentence. */
  readonly summary: string
  /** The fields that it takes. Others are rejected. */
  readonly fields: z.ZodMiniObject
  /** Maximum size of the body of a request. @default 1 MiB */
  readonly maxBodyBytes?: number
  /**
   * Checks the fields, and does it.
   *
   * @throws {EmulatorError} a field is missing, unknown or wrong, or the state does not allow it
   */
  act(emulator: ControlledEmulator, input: Input): Result
}

type Facts = Omit<Control, 'fields' | 'act'>

/** Declares a control. Its fields give `act` its types. */
export function control<const Shape extends z.core.$ZodLooseShape, Result>({
  fields: shape,
  act,
  ...facts
}: Facts & {
  readonly fields: Shape
  readonly act: (emulator: ControlledEmulator, fields: z.output<z.ZodMiniObject<Shape, z.core.$strict>>) => Result
}): Control<z.input<z.ZodMiniObject<Shape, z.core.$strict>>, Result> {
  const fields = z.strictObject(shape)
  const fail = (problem: string) => new EmulatorError({ message: `${facts.name}: ${problem}` })
  return {
    ...facts,
    fields,
    act: (emulator, input) => act(emulator, readFields(fields, input, { name: 'the value', fail })),
  }
}

/** Declares a control without fields. */
export const plainControl = <Result>(
  facts: Facts & { readonly act: (emulator: ControlledEmulator) => Result },
): Control<object, Result> => control({ ...facts, fields: {} })

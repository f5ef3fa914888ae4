import { sharedKey, sharedValue } from '../runtime/copies.ts'
import { environment } from '../runtime/environment.ts'

/**
 * How much errors and logs show of the text that others wrote, such as the service, a driver or your own callbacks.
 * `'safe'` shows none of it, because it may be secret or personal. `'full'` shows all of it, for development.
 */
export type ErrorDetail = 'full' | 'safe'

/** Returns the advice of a message that leaves something out. @param name the property of the error that has it */
export const howToSee = (name: string): string => `read error.${name}, or set SVC_ERROR_DETAIL=full`

/** Where `globalThis` has what `configure` set. It is declared here because this is the lowest layer that reads it. */
export const configuration = /* @__PURE__ */ sharedKey('configuration.1')

function defaultErrorDetail(): ErrorDetail {
  const { errorDetail: detail } = Object(sharedValue(globalThis, configuration)) as {
    readonly errorDetail?: ErrorDetail
  }
  if (detail !== undefined) return detail
  const setting = environment('SVC_ERROR_DETAIL')
  if (setting !== undefined) return setting === 'full' ? 'full' : 'safe'
  const mode = environment('NODE_ENV')
  return mode === 'development' || mode === 'test' ? 'full' : 'safe'
}

/** Whether text that others wrote is shown. */
export const showsAll = (detail: ErrorDetail | undefined): boolean => (detail ?? defaultErrorDetail()) === 'full'

/** The facts of a value that other code threw: nothing that it wrote. */
export interface ThrownFacts {
  /** The name of its class, or its type if it is not an error. */
  readonly name: string
  /** Its code, such as `ECONNRESET` or an SQLSTATE. */
  readonly code?: string
}

/** Not every library sets `name`. */
const className = /^[A-Z][A-Za-z]{0,63}$/
const systemCode = /^(?:[A-Z]+(?:_[A-Z0-9]+)*|[A-Z0-9]{5})$/

/** Describes what other code threw. */
export function factsOfThrown(thrown: unknown): ThrownFacts {
  if (typeof thrown !== 'object' || thrown === null) return { name: typeof thrown }
  const { name, code } = thrown as { readonly name?: unknown; readonly code?: unknown }
  const own = name === undefined || name === 'Error' ? thrown.constructor?.name : name
  return {
    name: own === 'Object' ? 'object' : typeof own === 'string' && className.test(own) ? own : 'Error',
    ...(typeof code === 'string' && code.length <= 64 && systemCode.test(code) && { code }),
  }
}

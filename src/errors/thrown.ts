/** What can be said of a value that other code threw, without a word that it wrote. */
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

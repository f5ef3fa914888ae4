/** Returns the name of the class of an error, if it is safe to print. Not every library sets `name`. */
export function errorClass(thrown: object): string | undefined {
  const { name } = thrown as { readonly name?: unknown }
  const own = name === undefined || name === 'Error' ? thrown.constructor?.name : name
  return typeof own === 'string' && /^[A-Z][A-Za-z]{0,63}$/.test(own) && own !== 'Object' ? own : undefined
}

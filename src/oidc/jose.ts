type Jose = typeof import('jose')

let loaded: Jose | undefined

/** Loaded by the first token. A module that is there already is not asked for again, which costs more than it looks. */
export async function loadJose(): Promise<Jose> {
  loaded ??= await import('jose')
  return loaded
}

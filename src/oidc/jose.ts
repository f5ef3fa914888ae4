type Jose = typeof import('jose')

let loaded: Jose | undefined

/** Loads jose with the first token. The module is kept, because even a repeated `import()` costs microseconds. */
export async function loadJose(): Promise<Jose> {
  loaded ??= await import('jose')
  return loaded
}

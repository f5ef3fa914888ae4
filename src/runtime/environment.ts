/** Returns an environment variable, or `undefined` if it is empty or cannot be read. */
export const environment = (name: string): string | undefined => {
  try {
    return globalThis.process?.env?.[name] || undefined
  } catch {
    // Deno throws without the permission.
    return undefined
  }
}

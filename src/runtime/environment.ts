/** An environment variable, on platforms that have any. One that the program may not read is not set. */
export const environment = (name: string): string | undefined => {
  try {
    return globalThis.process?.env?.[name] || undefined
  } catch {
    // Deno, without the permission.
    return undefined
  }
}

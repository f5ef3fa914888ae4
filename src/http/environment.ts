/** An environment variable, on platforms that have any. */
export const environment = (name: string): string | undefined => globalThis.process?.env?.[name] || undefined

export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fills in the fields of an object that are absent or null. Leaves anything else as it is. */
export function withDefaults(value: unknown, defaults: JsonObject): unknown {
  if (!isJsonObject(value)) return value
  const missing = Object.entries(defaults).filter(([name]) => (value[name] ?? null) === null)
  return missing.length === 0 ? value : { ...value, ...Object.fromEntries(missing) }
}

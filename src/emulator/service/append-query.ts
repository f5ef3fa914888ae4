/** Returns a URL with parameters appended to its own query, if it has one. Those that are `undefined` are omitted. */
export function appendQuery(address: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(address)
  const added = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
  // Appended as text, because URLSearchParams would re-encode the existing query.
  url.search = url.search === '' ? added : `${url.search.slice(1)}&${added}`
  return url.href
}

/** Path of the console. No path of the service starts with it. */
export const consolePath = '/_emulator'

/** Path of the control API. */
export const controlPath = `${consolePath}/api`

/** Path of the hosted page (contract, section 2.2), in the notation of the endpoint declarations. */
export const hostedPath = '/s/{path}'

export const hostedAddress = ({ path }: { readonly path: string }, baseUrl: string) =>
  baseUrl + hostedPath.replace('{path}', path)

/**
 * Path of activation links, in the notation of the endpoint declarations. The contract does not show the form of these
 * links (section 2.9), so this one is the emulator's own.
 */
export const activationPath = '/activate/{token}'

export const activationAddress = (token: string, baseUrl: string) => baseUrl + activationPath.replace('{token}', token)

/** Returns the token of an activation link, or `undefined` if the address is not one. */
export const activationToken = (address: string): string | undefined => /\/activate\/(\w+)$/.exec(address)?.[1]

/** Finds the tokens of the activation links in a text. */
export const tokenOfLink = /(?<=\/activate\/)[^\s/?#"]+/g

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

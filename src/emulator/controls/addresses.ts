const urlFields: ReadonlySet<string> = new Set(['authorizationUrl', 'tokenUrl', 'refreshUrl'])

/**
 * Returns the document of a service at one address, in place of the placeholders.
 *
 * @param baseUrl without a trailing slash
 */
export const atAddress = (document: object, baseUrl: string): object =>
  JSON.parse(JSON.stringify(document), (name, part) => {
    if (name === 'servers') return [{ url: baseUrl }]
    return urlFields.has(name) ? baseUrl + new URL(String(part)).pathname : part
  })

// Functions that reduce any text to what a field can contain.

/** A query contains percent-encoded UTF-8, which has no lone surrogates. */
export const inQuery = (text: string) => text.toWellFormed()

export const oneWord = (text: string) => inQuery(text).replaceAll(/[\s@]/g, '')

/** A header contains Latin-1 without control characters. */
export const inHeader = (text: string) => text.replaceAll(/[^ -~\u00a0-\u00ff]/g, '').trim()

/** A path is encoded by the URL parser. */
export const inPath = (text: string) => new URL(`http://x/${text.replaceAll(/[?#]/g, '')}`).pathname.slice(1)

/** A method is a token (RFC 9110). */
export const asToken = (text: string) => text.replaceAll(/[^\w!#$%&'*+.^`|~-]/g, '').slice(0, 500) || 'X'

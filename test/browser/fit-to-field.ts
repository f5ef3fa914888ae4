// What fields of certain kinds can carry of any text.

/** What the query of a URL can carry, percent-encoded: no half of a character. */
export const inQuery = (text: string) => text.toWellFormed()

export const oneWord = (text: string) => inQuery(text).replaceAll(/[\s@]/g, '')

/** What a header can carry: no character beyond Latin-1, no control. */
export const inHeader = (text: string) => text.replaceAll(/[^ -~\u00a0-\u00ff]/g, '').trim()

/** As the path of a URL spells it. */
export const inPath = (text: string) => new URL(`http://x/${text.replaceAll(/[?#]/g, '')}`).pathname.slice(1)

/** The characters of a token (RFC 9110). */
export const asToken = (text: string) => text.replaceAll(/[^\w!#$%&'*+.^`|~-]/g, '').slice(0, 500) || 'X'

/** The meaning of each status that the contract lists (section 7). It says the same of every 5xx. */
const meanings: Readonly<Record<number, string>> = {
  400: 'A parameter is malformed or missing, a scope is invalid, or a code has expired.',
  401: 'The request is not authenticated.',
  402: 'The wallet balance is exhausted. Add funds to the wallet.',
  403: 'The request is not allowed: a scope is missing, the app is not permitted, or consent was declined.',
  404: 'The resource does not exist, or belongs to another project.',
  409: 'The request conflicts with the current state, or is a duplicate.',
  410: 'The resource is gone.',
  413: 'The image is too large.',
  422: 'The input is rejected: the quality of an image, or validation.',
  423: 'The resource is locked.',
  429: 'There are too many requests.',
}

/** Returns the meaning of a status, or `undefined` if the contract does not list it. */
export const meaningOfStatus = (status: number): string | undefined =>
  status >= 500 ? 'The service failed.' : meanings[status]

/** The contract lists no code for an exhausted wallet (sections 7 and 8), so its response may have none. */
export const emptyWalletStatus = 402

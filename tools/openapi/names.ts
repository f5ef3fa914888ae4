/** Returns the usual spelling of a header, whose name is declared in lower case: `X-API-Key`. */
export const headerName = (name: string): string =>
  name
    .split('-')
    .map((word) => (word === 'api' ? 'API' : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('-')

/** Returns the tag of an operation: its resource, such as `checks`. */
export const tagOf = (operation: string): string => operation.slice(0, operation.lastIndexOf('.'))

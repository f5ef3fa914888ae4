/**
 * Returns the document that the build has written next to the scripts. Code that creates it would be 0.2 MiB more, and
 * would end up in what every client loads.
 */
export const createOpenApiDocument = (): object => require('../openapi.json')

/**
 * Returns the document that the build has written next to the scripts. CommonJS reads it, because a second copy of the code
 * that creates it would be 0.2 MiB of the 5 that the package may have.
 */
exports.createOpenApiDocument = () => require('../openapi.json')

/** The document that the build writes. */
declare module '*/openapi.json' {
  const document: object
  export = document
}

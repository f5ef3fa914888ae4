/** The parts that the test uses, because the package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export default class Provider {
    constructor(issuer: string, settings: object)
    callback(): RequestListener
  }
}

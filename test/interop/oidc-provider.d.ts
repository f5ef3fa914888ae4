/** As much of it as the test needs: the package brings no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export default class Provider {
    constructor(issuer: string, settings: object)
    callback(): RequestListener
  }
}

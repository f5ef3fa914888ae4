import { env } from 'cloudflare:workers'
import * as root from 'identity-service-sdk'
import * as errors from 'identity-service-sdk'
import * as oidc from 'identity-service-sdk'
import * as emulator from 'identity-service-sdk/emulator'
import * as webhooks from 'identity-service-sdk/webhooks'
import { createApp } from './app.mjs'
import { report } from './report.mjs'
import { trust } from './trust.mjs'

const sdk = { root, emulator, errors, oidc, webhooks }
const app = createApp(sdk, env.SETTINGS)

export default {
  /** @param {Request} request */
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/ready') return new Response(null, { status: 204 })
    if (pathname === '/id-token') return Response.json(await trust.idToken(app))
    return Response.json(await report(app))
  },
}

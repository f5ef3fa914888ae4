import * as root from 'identity-service-sdk'
import * as errors from 'identity-service-sdk'
import * as oidc from 'identity-service-sdk'
import * as emulator from 'identity-service-sdk/emulator'
import * as webhooks from 'identity-service-sdk/webhooks'
import { createApp } from './app.mjs'
import { report } from './report.mjs'

const sdk = { root, emulator, errors, oidc, webhooks }
const app = createApp(sdk, JSON.parse(process.argv[2] ?? ''))
console.log(JSON.stringify(await report(app)))

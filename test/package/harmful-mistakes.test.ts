import { expect, it, onTestFinished } from 'vitest'
import { installPackage } from '../support/installed-package.ts'

/** What a program of an app does wrong, without a compiler that would say so. */
const program = `
  import { createRequire } from 'node:module'
  import * as sdk from 'identity-service-sdk'
  import { createEmulator } from 'identity-service-sdk/emulator'
  const other = createRequire(import.meta.url)('./node_modules/identity-service-sdk/dist/index.cjs')

  const emulator = createEmulator({ webhooks: { secret: 'secret', destinations: [] } })
  const { verification, org: roster } = emulator.options
  const client = new sdk.VerificationClient(verification)
  const org = new sdk.OrgClient(roster)
  const delivery = await sdk.signWebhook({ event: { event_id: 'e', type: 'verification.approved', session_id: 's' }, secret: 'secret' })
  const logged = []
  const logger = Object.fromEntries(['debug', 'info', 'warn', 'error'].map((level) => [level, () => logged.push(level)]))
  const inProduction = async (work) => {
    process.env.NODE_ENV = 'production'
    return work().finally(() => delete process.env.NODE_ENV)
  }
  const mistakes = {
    'a filter under another name lists everybody': () => client.sessions.list({ limit: 100, vendor: 'user-17' }),
    'a session that never reports': () => client.sessions.create({ workflow_id: 'wf_identity', return_url: 'https://a.example', webhook_url: 'https://a.example' }),
    'emails that were turned off under another name': () => org.members.add({ members: [{ email: 'a@example.com' }], send_email: false }),
    'a filter of a program in another language': async () => {
      const response = await emulator.fetch(verification.baseUrl + '/api/v2/session?vendor=user-17', { headers: { 'x-api-key': verification.apiKey } })
      if (!response.ok) throw new Error((await response.json()).error.code)
    },
    'an emulator in production': () => inProduction(() => client.sessions.list()),
    'a webhook of an emulator in production': () =>
      inProduction(() => sdk.verifyWebhook({ ...delivery, headers: { ...delivery.headers, 'x-emulator': '1' }, secret: 'secret' })),
    'a PDF in place of a photo': () => client.checks.liveness({ image: Buffer.from('%PDF-1.7') }),
    'a band that nobody can read': () => client.checks.age({ dob: '1990-05-17', bands: ['adult'] }),
    'settings that another copy of the package does not have': async () => {
      other.configure({ logger })
      await client.sessions.list()
      if (logged.length > 0) throw new Error('is logged')
    },
  }
  const results = {}
  for (const [mistake, make] of Object.entries(mistakes))
    results[mistake] = await make().then(() => 'nothing', (error) => error.name === 'Error' ? error.message : error.name)
  console.log(JSON.stringify({ results, charged: emulator.ledger.length, added: (await org.members.list()).members.filter(({ email }) => email === 'a@example.com').length }))
`

it('nine mistakes that would do harm without a word are refused, and nothing is charged or sent', async () => {
  const installed = await installPackage()
  onTestFinished(() => installed.remove())

  const { results, ...effects } = JSON.parse(await installed.run('mistakes.mjs', program))

  expect(results).toEqual({
    'a filter under another name lists everybody': 'InvalidParamsError',
    'a session that never reports': 'InvalidParamsError',
    'emails that were turned off under another name': 'InvalidParamsError',
    'a filter of a program in another language': 'validation_error',
    'an emulator in production': 'ConfigurationError',
    'a webhook of an emulator in production': 'ConfigurationError',
    'a PDF in place of a photo': 'InvalidParamsError',
    'a band that nobody can read': 'InvalidParamsError',
    'settings that another copy of the package does not have': 'is logged',
  })
  expect(effects).toEqual({ charged: 0, added: 0 })
})

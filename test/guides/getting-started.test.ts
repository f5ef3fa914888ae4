import { expect, it } from 'vitest'
import { type } from '../cli/terminal.ts'
import { documented } from '../support/documented.ts'
import { blockOf, visitHostedPage } from './reading.ts'

const page = 'docs/getting-started.md'
const guide = documented('docs/getting-started.md')
const { emulator } = guide

it('the app takes a person from its first page to a decision, and prints what the page says', async () => {
  const printed = await guide.whileServing('Write the app', async (port) => {
    const start = await fetch(`http://127.0.0.1:${port}/start`, { redirect: 'manual' })
    const back = await visitHostedPage(String(start.headers.get('location')), 'approve')
    await emulator.webhooks.settled()
    expect(await (await fetch(back)).text()).toBe('Thank you. The result is on its way.')
  })

  expect(printed).toBe(blockOf(page, 'text', 'Run it'))
})

it('the app refuses the forgery that the page sends, and takes the test event', async () => {
  const printed = await guide.whileServing('Write the app', async (port) => {
    const line = blockOf(page, 'sh', 'See a forgery refused').trim().replace('3000', String(port))
    const [, , ...forged] = line.split(' ')
    const genuine = forged.filter((word) => word !== '--bad-signature')
    for (const words of [forged, genuine])
      expect((await type(words, { env: guide.environment() })).status).toBe(0)
  })

  expect(printed).toBe(
    'WebhookVerificationError: Signature fits no secret\na test event: verification.approved\n',
  )
})

it('the settings that the page names are those that the emulator gives', () => {
  const { verification, org } = emulator.options
  const port = 'http://127.0.0.1:4010'

  expect(blockOf(page, 'sh', 'Start the emulator 2')).toBe(
    `export SVC_BASE_URL=${port}
export SVC_ORG_BASE_URL=${port}
export SVC_API_KEY=${verification.apiKey}
export SVC_CLIENT_ID=${org.clientId}
export SVC_CLIENT_SECRET=${org.clientSecret}
export SVC_WEBHOOK_SECRET=${emulator.webhooks.secret}
`,
  )
})

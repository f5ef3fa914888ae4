import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { runCli } from '../cli/terminal.ts'
import { documentedCode } from '../support/documented-code.ts'
import { blockOf, forgeryMessage, visitHostedPage } from './reading.ts'

const page = 'docs/getting-started.md'
const guide = documentedCode('docs/getting-started.md')
const { emulator } = guide

it('the guide installs the file that npm pack writes', () => {
  expect(blockOf(page, 'sh', 'Install 2')).toBe(`npm install ./${basename(guide.installed.tarball)} express\n`)
})

it('the app takes a person from the first page to an outcome and prints the documented output', async () => {
  const printed = await guide.whileServing('Write the app', async (port) => {
    const start = () => fetch(`http://127.0.0.1:${port}/start`, { redirect: 'manual' })
    const back = await visitHostedPage(String((await start()).headers.get('location')), 'approve')
    await emulator.webhooks.settled()
    expect(await (await fetch(back)).text()).toBe('Your verification: approved')
    expect((await start()).headers.get('location')).toBe('/return')
  })

  expect(printed).toBe(blockOf(page, 'text', 'Verify a person'))
})

it('after a restart, the app records a check that failed', async () => {
  const printed = await guide.whileServing('Write the app', async (port) => {
    const start = await fetch(`http://127.0.0.1:${port}/start`, { redirect: 'manual' })
    await visitHostedPage(String(start.headers.get('location')), 'decline')
    await emulator.webhooks.settled()
  })

  expect(printed).toBe('user-42: none -> open\nuser-42: open -> declined\n')
})

it('the app rejects the forged webhook of the guide and accepts the test event', async () => {
  const settings = `${guide.installed.project}/.env`
  await writeFile(settings, `SVC_WEBHOOK_SECRET=${emulator.webhooks.secret}\n`)
  const printed = await guide.whileServing('Write the app', async (port) => {
    const line = blockOf(page, 'sh', 'Send a forged webhook').trim()
    const [, , ...forged] = line.replace('3000', String(port)).replace('.env', settings).split(' ')
    const genuine = forged.filter((word) => word !== '--bad-signature')
    for (const words of [forged, genuine]) expect((await runCli(words)).status).toBe(0)
  })

  expect(printed).toBe(
    `WebhookVerificationError: ${await forgeryMessage('expressWebhook')}\ntest event: verification.approved\n`,
  )
})

it('the test of the guide passes', async () => {
  expect(await guide.runAlone('Write a test')).toContain('# pass 1')
})

it('the settings in the guide are the settings of the emulator', () => {
  const { verification, org } = emulator.options
  const port = 'http://127.0.0.1:4010'

  expect(blockOf(page, 'text', 'Start the emulator')).toBe(
    `SVC_BASE_URL=${port}
SVC_ORG_BASE_URL=${port}
SVC_API_KEY=${verification.apiKey}
SVC_CLIENT_ID=${org.clientId}
SVC_CLIENT_SECRET=${org.clientSecret}
SVC_WEBHOOK_SECRET=${emulator.webhooks.secret}
SVC_ERROR_DETAIL=full
`,
  )
})

import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import busboy from 'busboy'
import { expect, it } from 'vitest'
import {
  createVerificationManager,
  createWebhookHandler,
  memoryStore,
  type VerificationClient,
} from '../../src/index.ts'
import { temporaryFolder } from '../cli/terminal.ts'
import { describeWith } from '../support/programs.ts'
import { serveListener } from '../support/serve-listener.ts'
import { arriving, visiting } from './visiting.ts'

const subject = 'user-42'

/** A photo as a phone takes it, which no proxy compresses. */
const photo = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomFillSync(Buffer.alloc(12_000_000))])

const page = (content: string) =>
  `<!doctype html><html lang="en"><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">
  <title>App</title>${content}`

const form = page(`<h1>Sign up</h1>
  <form method="post" enctype="multipart/form-data" action="/photo">
    <label>Photo of your document <input type="file" name="image" accept="image/*"></label>
    <button>Continue</button>
  </form>`)

/**
 * An app as the guides describe it: a photo is checked while it arrives, and then the person goes to the hosted page.
 */
async function appOf(client: VerificationClient, secret: string) {
  const verifications = createVerificationManager({
    client,
    store: memoryStore(),
    session: { workflow_id: 'wf_identity' },
    onChange: () => {},
  })
  const webhooks = createWebhookHandler({ secret, store: memoryStore(), consumers: [verifications] })
  const listenToWebhooks = getRequestListener(webhooks.fetch)

  async function checkPhoto(request: IncomingMessage, response: ServerResponse) {
    const [, file] = await once(request.pipe(busboy({ headers: request.headers })), 'file')
    const { status } = await client.checks.idVerification({ front_image: file })
    const returnTo = `${url}/return`
    const addresses = { redirect_url: returnTo, callback: `${url}/webhooks` }
    const started = await verifications.start(subject, addresses)
    const location = started.state === 'open' ? started.url : returnTo
    response.writeHead(303, { location: status === 'passed' ? location : '/' }).end()
  }

  const { url } = await serveListener(async (request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/webhooks') return listenToWebhooks(request, response)
    if (path === '/photo') return checkPhoto(request, response)
    response.writeHead(200, { 'content-type': 'text/html' })
    const { state } = await verifications.get(subject)
    response.end(path === '/return' ? page(`<h1>You are ${state}</h1>`) : form)
  })
  return { url, verifications }
}

describeWith('chromium', 'that a person can sign up on a phone', () => {
  const visit = visiting()

  it('a photo of 12 MB over a slow link, the hosted page, the webhook and the return approve the person', async () => {
    const { page, allow, client, emulator } = await visit({ width: 'phone' })
    const file = join(await temporaryFolder(), 'IMG_1.jpg')
    await writeFile(file, photo)
    const { url, verifications } = await appOf(client, emulator.webhooks.secret)
    allow(url)
    const link = await page.context().newCDPSession(page)
    await link.send('Network.enable')
    const slow = { offline: false, latency: 150, uploadThroughput: 6_000_000, downloadThroughput: 6_000_000 }
    await link.send('Network.emulateNetworkConditions', slow)

    await page.goto(url)
    await page
      .getByLabel('Photo of your document')
      // A path, because a buffer of this size is sent to the browser as text.
      .setInputFiles(file)
    await arriving(page, () => page.getByRole('button', { name: 'Continue' }).click())
    await page.getByLabel('Passed').first().waitFor()
    for (const radio of await page.getByLabel('Passed').all()) await radio.check()
    await arriving(page, () => page.getByRole('button', { name: 'Submit results' }).click())
    await emulator.webhooks.settled()
    await page.reload()

    expect(await page.getByRole('heading').textContent()).toBe('You are approved')
    expect(await verifications.get(subject)).toMatchObject({ state: 'approved' })
    expect(emulator.ledger.map(({ operation }) => operation)).toEqual(['checks.idVerification'])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  })
})

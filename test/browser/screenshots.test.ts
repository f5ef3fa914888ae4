import { mkdir, stat, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Look } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'
import { visiting } from './visiting.ts'

/**
 * Screenshots of the pages are written to `test-results/screenshots`. To update the two images of the README, run
 * `README_IMAGES=1 npx vitest run --config test/vitest.outside.config.ts screenshots`.
 */
const folder = new URL('../../test-results/screenshots/', import.meta.url)
const readmeImages = new URL('../../docs/images/', import.meta.url)
const isForReadme = process.env.README_IMAGES !== undefined

const looks: readonly (readonly [string, Look])[] = [
  ['desktop', {}],
  ['phone-dark', { scheme: 'dark', width: 'phone' }],
]

describeWith('chromium', 'screenshots of the pages', () => {
  const visit = visiting()

  /** Creates an emulator with an open session, a session that ended, and a webhook that was retried. */
  async function inUse(look: Look) {
    let attempts = 0
    const visited = await visit(look, {
      clock: () => new Date('2026-03-01T12:00:00.000Z'),
      members: [
        { email: 'ada@example.com', first_name: 'Ada', last_name: 'Sample' },
        { email: 'bo@example.com', first_name: 'Bo', last_name: 'Sample', status: 'link_sent' },
      ],
      webhooks: {
        destinations: ['https://app.example/webhooks'],
        deliver: async () => {
          attempts += 1
          return attempts === 1 ? new Response('busy', { status: 503 }) : new Response('thank you')
        },
      },
    })
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
    await client.checks.age({ dob: '1990-04-12', bands: ['18+'] }, { idempotencyKey: 'order-1042-age' })
    emulator.faults.add({ match: 'checks.liveness', status: 503, times: 3 })
    const delivery = `/_emulator/webhooks/${emulator.webhooks.deliveries[0]?.id}`
    const { clientId: client_id, redirectUri: redirect_uri } = emulator.options.oidc
    const authorization = {
      client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'openid profile',
      state: 's',
    }
    const pages: Readonly<Record<string, string>> = {
      'hosted-page': open.url,
      'first-check': `${open.url}?step=1`,
      summary: `${open.url}?step=summary`,
      consent: `${url}/api/auth/oidc/authorize?${new URLSearchParams(authorization)}`,
      activation: String(emulator.members.activationLink('bo@example.com')),
      session: `${url}/_emulator/sessions/${ended.session_id}`,
      delivery: url + delivery,
      ...Object.fromEntries(
        ['sessions', 'checks', 'webhooks', 'members', 'tokens', 'ledger', 'requests', 'faults'].map(
          (name) => [name, `${url}/_emulator/${name}`],
        ),
      ),
      overview: `${url}/_emulator`,
    }
    return { ...visited, pages }
  }

  // On a busy machine, Chromium sometimes fails to take a screenshot and succeeds at the next attempt.
  it.each(looks)('are written for every page, %s', { retry: 1 }, async (name, look) => {
    const { page, pages } = await inUse(look)
    await mkdir(folder, { recursive: true })

    for (const [one, address] of Object.entries(pages)) {
      await page.goto(address)
      const path = new URL(`${one}-${name}.png`, folder).pathname
      await page.screenshot({ path, fullPage: true })
    }

    const sizes = await Promise.all(
      Object.keys(pages).map(async (one) => (await stat(new URL(`${one}-${name}.png`, folder))).size),
    )
    expect(Math.min(...sizes)).toBeGreaterThan(5_000)
  })

  const updateReadmeImages = async () => {
    const { page, pages } = await inUse({})
    await page.setViewportSize({ width: 900, height: 760 })
    for (const [file, name] of [
      ['hosted-page', 'first-check'],
      ['console', 'session'],
    ]) {
      await page.goto(String(pages[String(name)]))
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

// Parts of a fictional name: cspell:ignore hohenstein maximiliane schwarzenberger
// Names of fields: cspell:ignore checkerror clientid emaila emailb faultpath firstname lastname redirecturi redirecturl
// cspell:ignore svcid useremail vendordata workflowid workflowname

import { afterAll, beforeAll, expect, it } from 'vitest'
import { VerificationClient } from '../../src/index.ts'
import { browserOfThisFile } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'
import { open, pagesOf } from './pages.ts'
import { createWorld, type World } from './world.ts'

const uuid = '2f8c1a9e-7b34-4d6f-9a51-3c0de8b7f412'
const word = uuid.replaceAll('-', '')

/** Values as long as those of real apps. The value of any other field is its name. */
const longTexts: Readonly<Record<string, string>> = {
  callback: `tenant=${uuid}&environment=production&source=console`,
  checkerror: 'The document could not be read because of glare on the machine-readable zone.',
  clientid: `client_${word}`,
  emaila: 'maximiliane.schwarzenberger-hohenstein.of.radiology',
  emailb: word + word,
  faultpath: `sess_${uuid}`,
  firstname: 'Maximiliane',
  key: `license-check:${uuid}:2026-03-01T12:00:00.000Z`,
  lastname: 'Schwarzenberger-Hohenstein',
  path: `api/v2/session/sess_${uuid}/decision`,
  redirecturi: `tenant=${uuid}`,
  redirecturl: `tenant=${uuid}&return_to=/account/settings/verification`,
  role: 'compliance_officer',
  scope: 'https://api.example.com/auth/verification.read',
  sub: `auth0|${uuid}`,
  svcid: `svc_${uuid}`,
  useremail: 'maximiliane.schwarzenberger-hohenstein@department.university.example',
  username: 'Maximiliane Schwarzenberger-Hohenstein',
  vendordata: `${word}/${word}`,
  workflowid: `wf_${uuid}`,
  workflowname: 'Identity, age and professional license of new providers',
}
const textOf = (field: string) => longTexts[field] ?? field

describeWith('chromium', 'that the console fits a laptop', () => {
  const newPage = browserOfThisFile()
  let world: World

  beforeAll(async () => {
    world = await createWorld(textOf)
    const { emulator } = world
    const client = new VerificationClient(emulator.options.verification)
    // The longest operations, of which one is charged, and the longest code of an error.
    await client.experimental.faceUniqueness.check({ image: { base64: 'aGVsbG8=' } }, { idempotencyKey: word + word })
    emulator.faults.add({
      match: 'experimental.faceUniqueness.delete',
      status: 422,
      code: { unlisted: 'failed_to_extract_id_portrait_feature' },
    })
    await client.experimental.faceUniqueness.delete(uuid).catch(() => {})
  })
  afterAll(() => world?.close())

  it('no page, table or cell of the console is wider than its place at a width of 1280 pixels', async () => {
    const { page, allow } = await newPage()
    allow(world.url)
    const parts = new Set<string>()
    const tooWide: string[] = []

    for (const [name, visit] of Object.entries(pagesOf(world, textOf))) {
      if (!visit.path.startsWith('/_emulator')) continue
      await open(page, world.url, visit)
      const found: [part: string, tooWideBy: number][] = await page.evaluate(
        `Array.from(document.querySelectorAll('html, .scroll, td, th'), (one) => [one.ariaLabel ?? one.localName, one.scrollWidth - one.clientWidth])`,
      )
      for (const [part, tooWideBy] of found) {
        parts.add(part)
        if (tooWideBy > 0) tooWide.push(`${name}: ${part}: ${tooWideBy} pixels`)
      }
    }

    expect(tooWide).toEqual([])
    expect([...parts].sort()).toEqual([
      'Checks',
      'Faults',
      'Latest requests',
      'Ledger',
      'Members',
      'Requests',
      'Sessions',
      'Tokens',
      'Webhooks',
      'Webhooks of this session',
      'html',
      'td',
      'th',
    ])
  })
})

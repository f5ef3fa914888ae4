import { expect, it, onTestFinished } from 'vitest'
import { rowsOfPage } from '../../src/emulator/console/record-list.ts'
import { createEmulator, type Emulator } from '../../src/emulator.ts'
import { browserOfThisFile } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'
import { difference, piecesOf, piecesOfEach } from './document-tree.ts'
import { asToken, hostileTexts, inHeader, inPath, oneWord, writtenForms } from './hostile-texts.ts'

/** Number of records that a table shows. */
const rows = rowsOfPage

const batches = Array.from({ length: Math.ceil(hostileTexts.length / rows) }, (_, i) =>
  hostileTexts.slice(i * rows, (i + 1) * rows),
)

/** Returns a different word for each number, of letters only. */
const word = (i: number) => `qx${[...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}xq`

const lists = ['sessions', 'members', 'webhooks', 'checks', 'ledger'].map((name) => `/_emulator/${name}`)

describeWith('chromium', 'that each hostile text is shown as text', () => {
  const look = browserOfThisFile()

  it.each(batches.map((texts, i) => ({ texts, batch: i + 1 })))(
    'a hostile text changes nothing but the text of its row, batch $batch',
    async ({ texts }) => {
      const model = await listing(texts.map((_, i) => word(i)))
      const hostile = await listing(texts)
      const forms = new Map(texts.map((text, i) => [word(i), formsInLists(text)]))
      const markups = await Promise.all(
        lists.map(async (path) => (await model.fetch(new Request(`http://127.0.0.1${path}`))).text()),
      )
      const { url, close } = await hostile.listen()
      onTestFinished(close)
      const { page, allow } = await look()
      allow(url)

      const models = await piecesOfEach(page, markups)
      for (const [i, path] of lists.entries()) {
        await page.goto(url + path)
        expect(difference(models[i] ?? [], await piecesOf(page), forms)).toBeUndefined()
        expect(await page.evaluate('"canary" in globalThis')).toBe(false)
        expect(await page.getByRole('row').count()).toBe(texts.length + 1)
      }
    },
  )

  it('a page that changes while it is shown shows hostile texts as text', async () => {
    const emulator = createEmulator({ seed: 'log' })
    const { url, close, consoleUrl } = await emulator.listen()
    onTestFinished(close)
    const { page, allow } = await look()
    allow(url)
    const sent = hostileTexts.slice(0, rows).map((text, i) => ({
      method: asToken(text),
      path: `/${i}/${inPath(text)}`,
      key: inHeader(text),
    }))
    await emulator.fetch(new Request(`${url}/api/v2/session`))
    await page.goto(`${consoleUrl}/requests`)
    await page.getByText('Live', { exact: true }).waitFor()

    for (const { method, path, key } of sent)
      await emulator.fetch(new Request(url + path, { method, headers: { 'idempotency-key': key } }))
    const [newest] = [...sent].reverse()
    await page.getByRole('link', { name: `${newest?.method} ${newest?.path}`, exact: true }).waitFor()

    const seen: string[] = await page.evaluate(
      `Array.from(document.querySelectorAll('tbody a'), (link) => link.textContent)`,
    )
    const elements = await page.evaluate(
      `[...new Set(Array.from(document.querySelectorAll('tbody *'), (one) => one.localName + one.attributes.length))]`,
    )
    expect(seen).toEqual(sent.reverse().map(({ method, path }) => `${method} ${path}`))
    expect(elements).toEqual(['tr0', 'td0', 'time1', 'span2', 'span1', 'code0', 'bdi0', 'a1', 'code1'])
    expect(await page.evaluate('"canary" in globalThis')).toBe(false)
  })
})

/** Creates an emulator with one record of each kind for each text. */
async function listing(texts: readonly string[]): Promise<Emulator> {
  const address = (text: string) => `https://hooks.example/?${text}`
  const emulator = createEmulator({
    seed: 'lists',
    clock: () => new Date('2026-03-01T12:00:00.000Z'),
    members: texts.map((text, i) => ({
      email: `${oneWord(text)}${i}@example.com`,
      first_name: text,
      status: 'link_sent',
    })),
    webhooks: { destinations: texts.map(address), deliver: async () => new Response() },
  })
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await emulator.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': 'emulator_api_key', 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
    return (await response.json()) as { data: { session_id: string } }
  }
  for (const [i, text] of texts.entries()) {
    const { data } = await post('/api/v2/session', { vendor_data: `${i}:${text}`, callback: address(text) })
    await emulator.sessions.complete(data.session_id, 'ABANDONED')
    emulator.checks.script('age', { status: 'failed', data: { dob: text }, error: text }, { times: 1 })
    const key = { 'idempotency-key': `${i}:${inHeader(text)}` }
    await post('/api/v2/age-verification', { dob: '1990-04-12', bands: [18] }, key)
  }
  return emulator
}

const formsInLists = (text: string) => [
  ...new Set([text, oneWord(text), inHeader(text)].flatMap((fitted) => writtenForms(fitted))),
]

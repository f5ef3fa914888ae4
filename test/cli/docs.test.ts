// Misspelled on purpose: cspell:ignore webhoks emulatro

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { publicPages } from '../support/public-pages.ts'
import { runCli } from './terminal.ts'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

it.each([
  ['webhooks', 'docs/guides/webhooks.md'],
  ['guides/webhooks', 'docs/guides/webhooks.md'],
  ['docs/guides/webhooks.md', 'docs/guides/webhooks.md'],
  ['sign-in', 'docs/guides/sign-in.md'],
  ['reference/http', 'docs/reference/http.md'],
  ['changelog', 'CHANGELOG.md'],
])('docs %s prints %s', async (topic, path) => {
  const { status, stdout, stderr } = await runCli(['docs', topic])

  expect([status, stderr]).toEqual([0, ''])
  expect(stdout.trimEnd()).toBe(
    textOf(path)
      .replace(/^<!--.*-->\s*/, '')
      .trimEnd(),
  )
})

it('without a topic, docs lists every page below docs', async () => {
  const { stdout } = await runCli('docs --json')

  const topics = (JSON.parse(stdout) as { topic: string }[]).map(({ topic }) => topic)
  const pages = publicPages.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md')
  expect(topics).toEqual(expect.arrayContaining(pages.map((path) => path.slice(5).replace(/(?:\/README)?\.md$/, ''))))
})

it.each(['already_decided', 'ALREADY_DECIDED', ' already_decided '])(
  'docs searches the text of all pages for %j, and prints the pages with the lines found',
  async (term) => {
    const { status, stdout, stderr } = await runCli(['docs', term])

    const containing = publicPages.filter((path) => textOf(path).includes('already_decided'))
    expect(containing.length).toBeGreaterThan(2)
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^No page is named ".*"\. Pages that contain it: \d+\n$/),
    ])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter((line) => !line.startsWith('  '))).toContain('guides/handle-errors  Handle errors')
    const found = lines.filter((line) => line.startsWith('  '))
    expect(found.filter((line) => !/^ {2}\d+: .*already_decided/.test(line))).toEqual([])
    expect(found.length).toBeGreaterThanOrEqual(containing.length)
  },
)

it('with --json, docs prints the lines that contain a text by page', async () => {
  const { status, stdout, stderr } = await runCli(['docs', 'Retry-After', '--json'])

  expect([status, stderr]).toEqual([0, ''])
  for (const { topic, title, lines } of JSON.parse(stdout)) {
    const page = JSON.parse((await runCli(['docs', topic, '--json'])).stdout)
    expect(page.title).toBe(title)
    for (const { line, text } of lines) expect(page.markdown.split('\n')[line - 1].trim()).toBe(text)
  }
})

it.each([
  ['webhoks', 'Did you mean webhooks?'],
  ['emulatro', 'Did you mean emulator'],
  ['qqqqqqqqqqqqqqqqqqq', 'run: npx identity-service-sdk docs'],
])('for the unknown topic %s, docs suggests what exists', async (topic, suggestion) => {
  const { status, stdout, stderr } = await runCli(['docs', topic])

  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain(`The documentation has no page "${topic}", and no page contains this text.`)
  expect(stderr).toContain(suggestion)
})

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { pictures } from '../../docs/site/diagrams/pictures.ts'
import { sessionStatuses } from '../../src/index.ts'
import { states } from '../../src/verification/manager/states.ts'
import { publicPages } from '../support/public-pages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

it.each(Object.entries(pictures))('the picture %s is drawn from its source', async (name, svg) => {
  await expect(svg).toMatchFileSnapshot(`${root}docs/images/${name}.svg`)
})

it.each(Object.entries(pictures))('the picture %s contains text and lines only', (_, svg) => {
  expect(svg).not.toMatch(/<(?:script|foreignObject|image|style|a)\b|href|url\((?!#)/)
  expect(svg).toMatch(/<title>[^<]+<\/title>/)
})

it('the picture of the session has every status', () => {
  for (const status of sessionStatuses) expect(pictures['session-states']).toContain(`>${status}</text>`)
})

it('the picture of the verification has every state', () => {
  for (const state of Object.keys(states)) expect(pictures['verification-states']).toContain(`>${state}</text>`)
})

const whatStartDoes = {
  create: /^creates a session/,
  take_over: /takes it over$/,
  resume: /^returns the same session/,
  keep: /^creates nothing$/,
  renew: /^creates nothing, unless .*renew/,
}

it('the guide says what a manager does in each state', () => {
  const page = readFileSync(`${root}docs/guides/verify-once.md`, 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (.+?) +\| (yes|no)? *\| (yes|no) +\|$/gm)]

  expect(rows.map(([, state]) => state)).toEqual(Object.keys(states))
  for (const [, state, start, event, reconcile] of rows) {
    const row = states[state as keyof typeof states]
    expect(start).toMatch(whatStartDoes[row.start])
    expect([event, reconcile]).toEqual([
      row.asksOnEvent === undefined ? undefined : row.asksOnEvent ? 'yes' : 'no',
      row.isPending ? 'yes' : 'no',
    ])
  }
})

it.each(Object.keys(pictures))('a page shows the picture %s, and says in words what it shows', (name) => {
  const shown = publicPages.flatMap((path) => [
    ...readFileSync(root + path, 'utf8').matchAll(new RegExp(`!\\[([^\\]]*)\\]\\([^)]*images/${name}\\.svg\\)`, 'g')),
  ])

  expect(shown.length).toBeGreaterThan(0)
  for (const [, words] of shown) expect(words).toMatch(/\w+ \w+ \w+/)
})

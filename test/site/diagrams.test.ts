import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { pictures } from '../../docs/site/diagrams/pictures.ts'
import { sessionStatuses, type VerificationState } from '../../src/index.ts'
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

const states: Record<VerificationState, true> = {
  none: true,
  starting: true,
  open: true,
  in_review: true,
  approved: true,
  declined: true,
  ended: true,
}

it('the picture of the verification has every state', () => {
  for (const state of Object.keys(states))
    expect(pictures['verification-states']).toContain(`>${state}</text>`)
})

it.each(Object.keys(pictures))('a page shows the picture %s, and says in words what it shows', (name) => {
  const shown = publicPages.flatMap((path) => [
    ...readFileSync(root + path, 'utf8').matchAll(
      new RegExp(`!\\[([^\\]]*)\\]\\([^)]*images/${name}\\.svg\\)`, 'g'),
    ),
  ])

  expect(shown.length).toBeGreaterThan(0)
  for (const [, words] of shown) expect(words).toMatch(/\w+ \w+ \w+/)
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** The sources and the README of an example, as one text. */
function textOf(folder: string): string {
  const texts = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /^(?:node_modules|dist|generated|\.next)$/.test(entry.name) ? '' : textOf(path)
    return /\.tsx?$|^README\.md$/.test(entry.name) ? readFileSync(path, 'utf8') : ''
  })
  return texts.join('\n')
}

it('an example that keeps outcomes uses the verification manager, or says why not', () => {
  const folders = readdirSync('examples', { withFileTypes: true }).filter((entry) => entry.isDirectory())

  const byHand = folders
    .map(({ name }) => ({ name, text: textOf(`examples/${name}`) }))
    .filter(({ text }) => /sessions\.decision\(|'verification\.approved'/.test(text))

  const unexplained = byHand.filter(({ text }) => !/createVerificationManager|keeps no outcome/.test(text))
  expect(unexplained.map(({ name }) => name)).toEqual([])
  expect(byHand.map(({ name }) => name)).toEqual(['databases', 'testing'])
})

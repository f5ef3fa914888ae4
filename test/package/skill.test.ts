import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readPage } from '../support/markdown.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'skills/identity-service-sdk')
const skill = readFileSync(join(folder, 'SKILL.md'), 'utf8')
const rules =
  skill
    .split(/^## Rules$/m)[1]
    ?.split(/^## /m)[0]
    ?.split(/^\d+\. /m)
    .slice(1) ?? []

it('the skill has ten rules and a description by which an assistant finds it', () => {
  expect(rules).toHaveLength(10)
  expect(skill).toMatch(/^---\nname: identity-service-sdk\ndescription: .{50,1024}\n---\n/)
})

it.each(rules)('the rule leads to a documented anchor: %s', (rule) => {
  const [link = ''] = readPage(rule).links
  const [path = '', anchor] = link.split('#')
  const file = join(folder, path)

  expect(path).toMatch(/^\.\.\/\.\.\/docs\//)
  expect(existsSync(file)).toBe(true)
  const { headings } = readPage(readFileSync(file, 'utf8'))
  if (anchor !== undefined) expect(headings.map((one) => one.anchor)).toContain(anchor)
})

it('every name of code in the rules is one that the page of the rule has too', () => {
  const missing = rules.flatMap((rule) => {
    const [link = ''] = readPage(rule).links
    const page = readFileSync(join(folder, link.split('#')[0] ?? ''), 'utf8')
    return [...rule.matchAll(/`(\w+)[\w.]*`/g)].map(([, name]) => String(name)).filter((name) => !page.includes(name))
  })

  expect(missing).toEqual([])
})

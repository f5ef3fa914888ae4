import { readFileSync } from 'node:fs'
import { sectionOf } from './tables.js'

/** Between these, the page says what a file of results says. */
const block = /(<!-- bench (\w+) -->\n)[\s\S]*?(\n<!-- bench end -->)/g

/**
 * A page with its blocks as the files of results have them.
 *
 * @param {string} page
 */
export const withResults = (page) =>
  page.replace(block, (_, begin, name, end) => {
    const file = new URL(`../results/${name}.json`, import.meta.url)
    return `${begin}\n${sectionOf(JSON.parse(readFileSync(file, 'utf8')))}\n${end}`
  })

import { readFileSync } from 'node:fs'
import { summaryOf } from './summary.js'
import { sectionOf } from './tables.js'

/** Between these, a page says what a file of results says, or the summary of them all. */
const block = /(<!-- bench (\w+) -->\n)[\s\S]*?(\n<!-- bench end -->)/g

/** @param {string} name */
const read = (name) => JSON.parse(readFileSync(new URL(`../results/${name}.json`, import.meta.url), 'utf8'))

/**
 * A page with its blocks as the files of results have them.
 *
 * @param {string} page
 */
export const withResults = (page) =>
  page.replace(
    block,
    (_, begin, name, end) =>
      `${begin}\n${name === 'summary' ? summaryOf(read) : sectionOf(read(name))}\n${end}`,
  )

import { readFileSync } from 'node:fs'
import { summaryOf } from './summary.js'
import { sectionOf } from './tables.js'

/** A generated part of a page: one file of results, or the summary of all of them. */
const block = /(<!-- bench (\w+) -->\n)[\s\S]*?(\n<!-- bench end -->)/g

/** @param {string} name */
const read = (name) => JSON.parse(readFileSync(new URL(`../results/${name}.json`, import.meta.url), 'utf8'))

/**
 * Returns the page with its generated parts rebuilt from the files of results.
 *
 * @param {string} page
 */
export const withResults = (page) =>
  page.replace(
    block,
    (_, begin, name, end) =>
      `${begin}\n${name === 'summary' ? summaryOf(read) : sectionOf(read(name))}\n${end}`,
  )

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { folders } from './folders.mjs'

/**
 * @typedef {{ killed: number, timeout: number, survived: number, noCoverage: number, ignored: number }} Counts
 * @typedef {{ date: string, versions: Record<string, string>, files: Record<string, Counts>, kinds: Record<string, Counts> }} FolderResult
 * @typedef {Record<string, FolderResult>} Results
 */

const file = new URL('results.json', import.meta.url)

/** @returns {Results} */
export const readResults = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/** The statuses in Stryker's reports. Mutants with any other status are not counted. */
const statuses = /** @type {const} */ ({
  Killed: 'killed',
  Timeout: 'timeout',
  Survived: 'survived',
  NoCoverage: 'noCoverage',
  Ignored: 'ignored',
})

/**
 * Saves the counts of a folder's last run.
 *
 * @param {string} folder
 */
export function keepResults(folder) {
  const report = readJson(`../../test-results/mutation/${folder}/report.json`)
  /** @type {FolderResult} */
  const result = {
    date: new Date().toISOString().slice(0, 10),
    versions: {
      node: process.versions.node,
      stryker: report.framework.version,
      vitest: readJson('../../node_modules/vitest/package.json').version,
    },
    files: {},
    kinds: {},
  }
  for (const path of Object.keys(report.files).sort()) {
    /** @type {readonly { status: keyof typeof statuses, mutatorName: string }[]} */
    const mutants = report.files[path].mutants
    for (const { status, mutatorName } of mutants) {
      const name = statuses[status]
      if (name === undefined) continue
      countsOf(result.files, path)[name]++
      countsOf(result.kinds, mutatorName)[name]++
    }
  }
  const all = { ...readResults(), [folder]: result }
  const inOrder = Object.keys(folders).flatMap((name) => (all[name] ? [[name, all[name]]] : []))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`)
}

/**
 * @param {Record<string, Counts>} table
 * @param {string} name
 * @returns {Counts}
 */
function countsOf(table, name) {
  table[name] ??= { killed: 0, timeout: 0, survived: 0, noCoverage: 0, ignored: 0 }
  return table[name]
}

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))

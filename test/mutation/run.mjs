// Runs mutation tests: `npm run mutation`, or for one folder `npm run mutation -- stores`. Stryker gets the options.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folders } from './folders.mjs'

const stryker = join(
  dirname(createRequire(import.meta.url).resolve('@stryker-mutator/core')),
  '../../bin/stryker.js',
)
// A path that no longer exists would select no tests, and all mutants would survive without an error.
const paths = Object.entries(folders).flatMap(([folder, tests]) => [`src/${folder}`, ...tests])
const missing = [...new Set(paths)].filter((path) => !existsSync(path))
if (missing.length > 0)
  throw new Error(`test/mutation/folders.mjs lists what does not exist: ${missing.join(', ')}`)

const config = fileURLToPath(new URL('stryker.config.mjs', import.meta.url))
const given = process.argv.slice(2)
const options = given.filter((argument) => argument.startsWith('-'))
const named = Object.keys(folders).filter((folder) => given.includes(folder))

for (const folder of named.length === 0 ? Object.keys(folders) : named) {
  const env = { ...process.env, MUTATED_FOLDER: folder }
  const args = [stryker, 'run', config, ...options]
  const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

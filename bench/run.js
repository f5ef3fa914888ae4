// Runs all benchmarks, or the named ones: `npm run bench -- call webhook`. `--full` measures longer, `--once` only shows
// that they run, `--write` replaces the figures in docs/about/performance.md and bench/results, and `--check` fails if a
// ratio is above its budget and by more than a third above that of bench/results, unless its table has another tolerance.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isChecking, isWriting, named } from './mode.js'
import { writePages } from './pages.js'
import { arePeersInstalled, benchFolder } from './peers.js'
import { holds, withRatios } from './regressions.js'

const measures = new URL('measures/', import.meta.url)
const known = readdirSync(measures).map((file) => basename(file, '.js'))
const unknown = named.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Benchmarks: ${known.join(', ')}`)
  process.exit(2)
}

if (!arePeersInstalled()) {
  console.log('Installing tinybench and the packages to compare with: npm ci --prefix bench')
  const args = ['ci', '--prefix', benchFolder, '--no-audit', '--no-fund']
  if (spawnSync('npm', args, { stdio: 'inherit' }).status !== 0) process.exit(1)
}

const flags = process.argv.slice(2).filter((argument) => !named.includes(argument))
const chosen = named.length > 0 ? named : isChecking ? withRatios(known) : known
const failed = chosen.filter((name) => {
  console.log(`\n${name}`)
  const program = fileURLToPath(new URL(`${name}.js`, measures))
  const succeeds = () => spawnSync(process.execPath, [program, ...flags], { stdio: 'inherit' }).status === 0
  return isChecking ? !holds(name, succeeds) : !succeeds()
})
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`)
  process.exit(1)
}
if (isWriting) writePages()

// Runs all benchmarks, or the named ones: `npm run bench -- call webhook`. `--full` measures longer. `--against PATH`
// measures another checkout in the same run, and prints the figures of both builds next to each other.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { against, named, quit } from './harness/arguments.js'
import { arePeersInstalled, benchFolder } from './harness/peers.js'

const measures = new URL('measures/', import.meta.url)
const known =
  against === undefined
    ? readdirSync(measures).map((file) => basename(file, '.js'))
    : ['call', 'import', 'webhook', 'token', 'size', 'types']
const unknown = named.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  const mode = against === undefined ? '' : ' with --against'
  quit(`Unknown: ${unknown.join(', ')}. Benchmarks${mode}: ${known.join(', ')}`)
}

if (!arePeersInstalled()) {
  console.log('Installing the packages to compare with: npm ci --prefix bench')
  const { status } = spawnSync('npm', ['ci', '--prefix', benchFolder, '--no-audit', '--no-fund'], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}

const flags = process.argv.slice(2).filter((argument) => !named.includes(argument))
const failed = (named.length > 0 ? named : known).filter((name) => {
  console.log(`\n${name}`)
  const program = fileURLToPath(new URL(`${name}.js`, measures))
  const { status } = spawnSync(process.execPath, ['--expose-gc', program, ...flags], { stdio: 'inherit' })
  return status !== 0
})
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`)
  process.exit(1)
}
if (against === undefined) {
  console.log(
    '\nFigures and charts are in bench/results. To update docs/performance.md and README.md: node bench/report.js',
  )
}

// Runs all benchmarks, or the named ones: `npm run bench -- call webhook`. `--full` measures longer.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { arePeersInstalled, benchFolder } from './harness/peers.js'

const measures = new URL('measures/', import.meta.url)
const known = readdirSync(measures).map((file) => basename(file, '.js'))
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const flags = process.argv.slice(2).filter((word) => word.startsWith('--'))
const unknown = [
  ...named.filter((name) => !known.includes(name)),
  ...flags.filter((flag) => flag !== '--full'),
]
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Benchmarks: ${known.join(', ')}. Flags: --full`)
  process.exit(2)
}

if (!arePeersInstalled()) {
  console.log('Installing the packages to compare with: npm ci --prefix bench')
  const { status } = spawnSync('npm', ['ci', '--prefix', benchFolder, '--no-audit', '--no-fund'], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}

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
console.log(
  '\nFigures and charts are in bench/results. To update docs/performance.md and README.md: node bench/report.js',
)

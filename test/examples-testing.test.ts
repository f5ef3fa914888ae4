import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

it('the suites that people copy pass against the build', async () => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', 'examples/testing', '--reporter', 'json']

  // A status other than 0 rejects.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })

  const { testResults } = JSON.parse(stdout) as Report
  const files = testResults.map(({ name }) => name.replace(/^.*\//, '')).sort()
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  expect(files).toEqual(['with-msw.test.js', 'without-a-network.test.js'])
  expect(results.filter(({ status }) => status !== 'passed')).toEqual([])
  expect(results.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      'a guest who completes the verification is approved',
      'a webhook that arrives twice sends one mail',
      'a guest who lets the hour pass is asked to start again',
      'a selfie that is a photograph of a photograph is turned away',
      'a busy service and a lost answer cost a guest nothing but time',
      'a member signs in by the consent page',
    ]),
  )
}, 60_000)

it('the command that their readme names is one of the package', async () => {
  const readme = await readFile(new URL('../examples/testing/README.md', import.meta.url), 'utf8')
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))

  expect(readme).toContain('npm ci && npm run examples')
  expect(scripts.examples).toMatch(/vitest run --root examples\/testing$/)
})

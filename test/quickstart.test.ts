import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

it('the quickstart runs by itself through all three interfaces, and refuses what is forged or repeated', async () => {
  // The build that `npm test` made; a status other than 0 rejects.
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/quickstart.js'], { cwd: root })
  expect(stdout).toContain('webhook verification.approved verified and handled')
  expect(stdout).toContain('sessions.decision: APPROVED')
  expect(stdout).toContain('billed: checks.age, checks.idVerification')
  expect(stdout).toContain('forged webhook: 400')
  expect(stdout).toContain('run 0 more times')
  expect(stdout).toMatch(/alex@example\.com is vmem_[0-9a-f]{24}, active/)
  expect(stdout).toContain('org.billing: 1 seat')
  expect(stdout).toMatch(/the id_token is valid, sub \w+, member vmem_/)
  expect(stdout).toContain('the same callback again: 400 state mismatch')
}, 60_000)

it('the example app fits on a screen', async () => {
  const source = await readFile(new URL('../examples/express/app.js', import.meta.url), 'utf8')
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
})

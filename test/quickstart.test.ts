import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

it('the quickstart runs through all three interfaces and rejects a forged webhook and a replayed callback', async () => {
  // Uses the build that `npm test` made. A status other than 0 rejects.
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/quickstart.js'], { cwd: root })
  expect(stdout).toContain('webhook verification.approved verified and handled')
  expect(stdout).toContain('onChange: ada was none, is open')
  expect(stdout).toContain('onChange: ada was open, is approved')
  expect(stdout).toContain('ensureApproved: id_verification passed, liveness passed, face_match passed')
  expect(stdout).toContain('start again: the app redirects ada to /account')
  expect(stdout).toContain('billed: checks.age, checks.idVerification')
  expect(stdout).toContain('forged webhook: 400')
  expect(stdout).toContain('callback ran 0 more times')
  expect(stdout).toMatch(/alex@example\.com is vmem_[0-9a-f]{24}, active/)
  expect(stdout).toContain('org.billing: 1 seat')
  expect(stdout).toMatch(/the id_token is valid, sub \w+, member vmem_/)
  expect(stdout).toContain('the same callback again: 400 state mismatch')
}, 60_000)

it('the Express example has at most 60 lines', async () => {
  const source = await readFile(new URL('../examples/express/app.js', import.meta.url), 'utf8')
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
})

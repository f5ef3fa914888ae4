import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const examples = fileURLToPath(new URL('../examples', import.meta.url))

it('the quickstart runs through all three interfaces and rejects a forged webhook and a replayed callback', async () => {
  // Uses the build that `npm test` made. A status other than 0 rejects.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'quickstart.ts'], {
    cwd: examples,
  })
  expect(stdout).toContain('The webhook verification.approved is verified and handled')
  expect(stdout).toContain('onChange: none -> open, then open -> approved')
  expect(stdout).toContain('ensureApproved: id_verification passed, liveness passed, face_match passed')
  expect(stdout).toContain('start again: no session is created, and the app redirects Ada to /account')
  expect(stdout).toContain('charged checks.age and checks.idVerification, once each')
  expect(stdout).toContain('signed with a guessed secret is rejected: 400, signature_mismatch')
  expect(stdout).toContain('A webhook that arrives again runs no callback')
  expect(stdout).toMatch(/alex@example\.com used the link, and is vmem_[0-9a-f]{24}, active/)
  expect(stdout).toContain('org.billing.retrieve: 1 seat')
  expect(stdout).toMatch(/the id_token is valid, sub \w+, member vmem_/)
  expect(stdout).toContain('The same callback again is rejected: 400. This sign-in was finished before')
  // Sentences only, and no log record.
  expect(stderr).toBe('')
  expect(stdout).not.toMatch(/[{}[\]]|undefined|null|\bError\b/)
}, 60_000)

import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { docstringOf, sourceOf } from '../support/source-files.ts'

it.each([
  ['contract/verification/sessions', 'Session.session_token', /safe.*browser.*API key is not/i],
  ['verification/client', 'VerificationOptions.apiKey', /never leaves the server/],
  ['verification/checks', 'LivenessParams.image', /full-quality camera frame/],
  ['verification/checks', 'Checks.liveness', /full-quality camera frame/],
  ['contract/verification/sessions', 'Decision.decision', /never.*`status`/i],
  ['contract/verification/sessions', 'Session.status', /not a verdict/],
  ['contract/verification/sessions', 'SessionCreateParams.callback', /approved HTTPS.*callback_not_allowed/],
])('the docstring of %s, %s states the rule of the service', (file, name, fact) => {
  expect(docstringOf(`src/${file}.ts`, name)).toMatch(fact)
})

it.each([
  ['contract/verification/sessions', 'SessionCreateParams.ttl_seconds', /seconds/],
  ['contract/verification/check-data', 'LivenessData.live_score', /\b1\b/],
  ['contract/verification/check-data', 'FaceMatchData.threshold', /threshold/],
  ['contract/verification/check-params', 'AgeParams.bands', /\b16, 18, 21, 30 and 65\b/],
  ['verification/experimental', 'ExperimentalImages.frames', /\b3 to 8\b/],
  ['verification/experimental', 'Antispoof.check', /\b3 to 8\b/],
  ['verification/experimental', 'Antispoof.identity', /\b3 to 8\b/],
  ['verification/checks', 'Checks', /smaller than 20 MiB/],
  ['verification/checks', 'IdVerificationParams', /smaller than 20 MiB/],
  ['verification/checks', 'LivenessParams', /smaller than 20 MiB/],
  ['verification/checks', 'FaceMatchParams', /smaller than 20 MiB/],
  ['verification/checks', 'KycCredentialParams', /smaller than 20 MiB/],
  ['verification/checks', 'Checks.credential', /10 to 60 seconds.*90 seconds/],
  ['verification/checks', 'Checks.kycCredential', /90 seconds/],
  ['http/params/options', 'BaseClientOptions.timeoutMs', /30_000; 90_000 .* 10 to 60 seconds/],
])('the docstring of %s, %s states the limit of the service', (file, name, limit) => {
  expect(docstringOf(`src/${file}.ts`, name)).toMatch(limit)
})

it.each([
  ['workflows', 'Workflows'],
  ['workflows', 'Workflows.create'],
  ['workflows', 'Workflows.list'],
  ['workflows', 'Workflows.retrieve'],
  ['workflows', 'Workflows.update'],
  ['workflows', 'Workflows.delete'],
  ['experimental', 'Experimental'],
  ['experimental', 'Antispoof'],
  ['experimental', 'Antispoof.check'],
  ['experimental', 'Antispoof.identity'],
  ['experimental', 'FaceUniqueness'],
  ['experimental', 'FaceUniqueness.check'],
  ['experimental', 'FaceUniqueness.delete'],
  ['client', 'VerificationOptions.workflowsPath'],
])('marks what the contract does not confirm as experimental: %s, %s', (file, name) => {
  expect(docstringOf(`src/verification/${file}.ts`, name)).toContain('@experimental')
})

it('contains no face match threshold of its own', () => {
  const files = ['contract', 'errors', 'http', 'verification'].flatMap((folder) =>
    readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `src/${folder}/${file}`),
  )

  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((file) => /\.95\b/.test(sourceOf(file)))).toEqual([])
})

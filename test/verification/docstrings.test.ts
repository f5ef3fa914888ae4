import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { docstringOf, sourceOf } from '../support/source-files.ts'

it.each([
  ['what may reach a browser', 'contract/sessions', 'Session.session_token', /browser. The API key may not/],
  ['what may not', 'verification/client', 'VerificationClientOptions.apiKey', /never leaves the server/],
  ['what a selfie has to be', 'verification/checks', 'LivenessParams.image', /full-quality camera frame/],
  ['what a selfie has to be', 'verification/checks', 'Checks.liveness', /full-quality camera frame/],
  ['how a decision comes about', 'contract/sessions', 'Decision.decision', /Never worked out from `status`/],
  ['that a status is no verdict', 'contract/sessions', 'Session.status', /no verdict/],
  [
    'what a callback must be',
    'contract/sessions',
    'SessionCreateParams.callback',
    /approved HTTPS.*callback_not_allowed/,
  ],
])('tells %s where a caller reads it: %s, %s', (_, file, name, words) => {
  expect(docstringOf(`src/${file}.ts`, name)).toMatch(words)
})

it.each([
  ['contract/sessions', 'SessionCreateParams.ttl_seconds', /seconds/],
  ['contract/check-data', 'LivenessData.live_score', /only at 1\b/],
  ['contract/check-data', 'FaceMatchData.threshold', /as the service applied it/],
  ['contract/check-params', 'AgeParams.bands', /16, 18, 21, 30 and 65/],
  ['contract/experimental', 'OpenBody.frames', /3 to 8/],
  ['verification/checks', 'Checks', /smaller than 20 MiB/],
  ['verification/checks', 'Checks.credential', /10 to 60 seconds.*90 seconds/],
  ['verification/checks', 'Checks.kycCredential', /90 seconds/],
  ['http/request-options', 'ClientOptions.timeoutMs', /30_000; 90_000 .* 10 to 60 seconds/],
])('states a limit of the service where a caller meets it: %s, %s', (file, name, words) => {
  expect(docstringOf(`src/${file}.ts`, name)).toMatch(words)
})

it.each([
  ['workflows', 'Workflows'],
  ['workflows', 'Workflows.create'],
  ['workflows', 'Workflows.list'],
  ['workflows', 'Workflows.retrieve'],
  ['workflows', 'Workflows.update'],
  ['workflows', 'Workflows.delete'],
  ['experimental', 'Antispoof'],
  ['experimental', 'Antispoof.check'],
  ['experimental', 'Antispoof.identity'],
  ['experimental', 'FaceUniqueness'],
  ['experimental', 'FaceUniqueness.check'],
  ['experimental', 'FaceUniqueness.delete'],
  ['client', 'VerificationClientOptions.workflowsPath'],
])('marks what the contract does not confirm as experimental: %s, %s', (file, name) => {
  expect(docstringOf(`src/verification/${file}.ts`, name)).toContain('@experimental')
})

it('judges no face match by a threshold of its own', () => {
  const rooms = ['contract', 'errors', 'http', 'verification']
  const files = rooms.flatMap((room) => readdirSync(`src/${room}`).map((file) => `src/${room}/${file}`))

  expect(files.length).toBeGreaterThan(30)
  expect(files.filter((file) => /\.95\b/.test(sourceOf(file)))).toEqual([])
})

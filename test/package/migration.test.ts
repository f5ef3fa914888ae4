import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const guide = readFileSync(new URL('../../docs/guides/upgrading.md', import.meta.url), 'utf8')
const script = /names\.sed.*?^```text\n(.+?)^```$/ms.exec(guide)?.[1] ?? ''

/** Applies the expressions of the guide, as a reader does. */
const migrate = (code: string) => execFileSync('sed', ['-E', script], { input: code, encoding: 'utf8' })

const samples: readonly (readonly [before: string, after: string])[] = [
  ['await client.workflows.list()', 'await client.experimental.workflows.list()'],
  ['await client.workflows.list(options)', 'await client.experimental.workflows.list({}, options)'],
  ['verification.antispoof.check(body)', 'verification.experimental.antispoof.check(body)'],
  ['org.members.list({ timeoutMs: 5 })', 'org.members.list({}, { timeoutMs: 5 })'],
  ['org.members.list(options)', 'org.members.list({}, options)'],
  ['client.credentials.listStates(options)', 'client.credentials.listStates({}, options)'],
  ["credentials.listProviders('CA', options)", "credentials.listProviders('CA', {}, options)"],
  ['credentials.listProviders(state, { signal })', 'credentials.listProviders(state, {}, { signal })'],
  ['liveness({ image: base64 })', 'liveness({ image: { base64 } })'],
  ['kycCredential({ selfie: base64, ...license })', 'kycCredential({ selfie: { base64 }, ...license })'],
  ['res.status(error.statusCode)', 'res.status(error.status)'],
  ['if (tokens.expires_at < now)', 'if (tokens.expiresAtSeconds < now)'],
  ['saved.tokens?.expires_at', 'saved.tokens?.expiresAtSeconds'],
  ['waitForDecision(id, { timeoutMs: 60_000 })', 'waitForDecision(id, { deadlineMs: 60_000 })'],
  ["credential({ license_no: 'RN-1' })", "credential({ license_number: 'RN-1' })"],
  ['(reason: WebhookRefusal | TokenRefusal)', '(reason: WebhookVerificationReason | TokenValidationReason)'],
  ['TokenManagerFailure | CallbackRefusal', 'TokenManagerReason | CallbackReason'],
  ['AddedBatch | BatchAdded', "AddAllItem | Extract<AddAllItem, { outcome: 'added' }>"],
  ['BatchFailed', "Extract<AddAllItem, { outcome: 'failed' }>"],
  ['InviteOutcome | MemberInvited', "InviteAllItem | Extract<InviteAllItem, { outcome: 'invited' }>"],
  ['InviteFailed', "Extract<InviteAllItem, { outcome: 'failed' }>"],
  ['ReconcileChange', "Extract<ReconcileItem, { outcome: 'changed' }>"],
  ['ReconcileFailure', "Extract<ReconcileItem, { outcome: 'failed' }>"],
  ['(progress: AddAllProgress) => void', '(progress: AddAllSummary) => void'],
  ['const params: PkceAuthorizationParams', 'const params: AuthorizationParams<true>'],
  ['options: WaitForReviewOptions', "options: WaitOptions<'IN_REVIEW'>"],
  ['KycLicenseParams | KnownSessionStatus', 'LicenseParams | SessionStatus'],
]

it.each(samples)('the expressions of the guide change %s to what compiles now', (before, after) => {
  expect(migrate(before)).toBe(after)
})

it.each(samples)('the expressions of the guide can be applied again after %s', (_, after) => {
  expect(migrate(after)).toBe(after)
})

it.each([
  'res.statusCode = 404',
  'reply.statusCode',
  'response?.statusCode',
  'return { statusCode: status, body }',
  'license?.expires_at',
  'check.data.license.expires_at',
  'session.expires_at',
  "const record = { expires_at: '2026-01-01' }",
  'await org.members.list()',
  'await client.sessions.list({ limit: 5 })',
  "await client.credentials.listProviders('CA')",
  'client.sessions.retrieve(id, { timeoutMs: 5_000 })',
  'await client.experimental.workflows.list()',
  'team.workflows.start(job)',
  'const base64 = bytes.toString("base64")',
  'type VerificationBatchFailedEvent = unknown',
])('the expressions of the guide do not change %s', (code) => {
  expect(migrate(code)).toBe(code)
})

it('the expressions of the guide rename only names that the package does not export', () => {
  const names = script.match(/(?<=\\b)[A-Z]\w+(?=\\b)/g) ?? []
  expect(names.length).toBeGreaterThan(10)
  const exported = readFileSync(new URL('../../api/index.md', import.meta.url), 'utf8')
  expect(names.filter((name) => exported.includes(`{ ${name} }`))).toEqual([])
})

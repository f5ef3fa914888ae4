// Tests an app against the emulator, in-process: a verification with its webhook, a sign-in, a failure.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createWebhookHandler,
  OidcClient,
  ServerError,
  type SessionCreateParams,
  VerificationClient,
} from 'identity-service-sdk'
import { createEmulator, type EmulatorOptions } from 'identity-service-sdk/emulator'

const options: EmulatorOptions = {
  workflows: [{ id: 'wf_1', name: 'Adults', features: ['liveness', 'age'] }],
  clock: () => new Date('2026-01-01T00:00:00Z'),
}
const params: SessionCreateParams = { workflow_id: 'wf_1', vendor_data: 'user-42' }

test('an approved person is unlocked once', async () => {
  const emulator = createEmulator(options)
  const client = new VerificationClient(emulator.options.verification)
  const unlocked: (string | null | undefined)[] = []
  const { handle } = createWebhookHandler({
    secret: emulator.webhooks.secret,
    on: { 'verification.approved': ({ vendor_data }) => unlocked.push(vendor_data) },
    now: emulator.clock.now,
  })
  const { session_id } = await client.sessions.create(params)
  await emulator.sessions.complete(session_id, 'APPROVED', { checks: { liveness: 'passed' } })
  const { decision, vendor_data } = await client.sessions.waitForDecision(session_id)
  for (const { attempts } of emulator.webhooks.deliveries) for (const { request } of attempts) await handle(request)
  assert.deepEqual([decision, vendor_data, unlocked], ['APPROVED', 'user-42', ['user-42']])
})

test('a person signs in', async () => {
  const emulator = createEmulator(options)
  const oidc = new OidcClient(emulator.options.oidc)
  const login = await oidc.createAuthorization()
  const { claims } = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
  assert.equal(typeof claims.sub, 'string')
})

test('an outage is reported', async () => {
  const emulator = createEmulator()
  const client = new VerificationClient({ ...emulator.options.verification, maxRetries: 0 })
  emulator.faults.add({ match: 'sessions.create', status: 503, times: 1 })
  await assert.rejects(client.sessions.create(params), ServerError)
})

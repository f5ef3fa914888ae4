import { createHook } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import {
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  memoryStore,
  OidcClient,
  OrgClient,
  signWebhook,
  VerificationClient,
} from '../../src/index.ts'

/** Runs work, and returns where this package created promises that are still pending. */
async function pendingAfter(work: () => Promise<unknown>): Promise<readonly string[]> {
  const pending = new Map<number, string>()
  const hook = createHook({
    init: (id, type) => void (type === 'PROMISE' && pending.set(id, new Error('created').stack ?? '')),
    promiseResolve: (id) => void pending.delete(id),
  })
  hook.enable()
  await work()
  hook.disable()
  return [...pending.values()].filter((stack) => stack.includes('/src/'))
}

const image = new Uint8Array(2_000).fill(7)
image.set([0xff, 0xd8, 0xff, 0xe0])

it('work that ended leaves no promise that never settles, because tools report it as a leak', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen()
  const client = new VerificationClient({ ...emulator.options.verification, fetch: undefined })
  const oidc = new OidcClient({ ...emulator.options.oidc, fetch: undefined })
  const org = new OrgClient({ ...emulator.options.org, fetch: undefined })
  const secret = 'whsec_0123456789abcdef'
  const handler = createWebhookHandler({ secret, store: memoryStore(), onUnhandled: () => {} })
  const verifications = createVerificationManager({
    client,
    store: memoryStore(),
    session: { workflow_id: 'wf_identity' },
  })
  const tokens = createTokenManager({ oidc, store: memoryStore() })

  const pending = await pendingAfter(async () => {
    const login = await oidc.createAuthorization()
    await tokens.save('user-42', await oidc.handleCallback(emulator.signIn.approve(login.url), login))
    await Promise.all([tokens.getAccessToken('user-42'), tokens.getAccessToken('user-42')])
    await emulator.clock.advance(3_600_000)
    await tokens.getAccessToken('user-42').catch(() => {})
    await verifications.start('user-42')
    await client.sessions.retrieve('none').catch(() => {})
    await client.checks.liveness({ image })
    await org.members.addAll([{ email: 'bo@example.test' }])
    await handler.handle(
      await signWebhook({
        secret,
        event: {
          event_id: 'evt_1',
          type: 'verification.approved',
          session_id: 'sess_1',
          status: 'APPROVED',
          vendor_data: null,
          decision: null,
          occurred_at: '2026-01-01T00:00:00.000Z',
        },
      }),
    )
    await Promise.all([client, oidc, org].map((one) => one.close()))
  })

  await server.close()
  expect(pending).toEqual([])
})

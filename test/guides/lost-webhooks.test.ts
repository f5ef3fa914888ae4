import { expect, it } from 'vitest'
import {
  createVerificationManager,
  memoryStore,
  VerificationClient,
  type VerificationManager,
} from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/lost-webhooks.md')
const { emulator } = guide

/** The reader's manager. Its clock is 20 minutes ahead for `reconcile`, so that records are old enough. */
function aManager() {
  let ms = Date.now()
  const verifications = createVerificationManager({
    client: new VerificationClient(emulator.options.verification),
    store: memoryStore(),
    session: { workflow_id: 'wf_identity' },
    now: () => new Date(ms),
  })
  const wait = () => {
    ms += 20 * 60_000
  }
  return { verifications, wait, modules: { './verifications.ts': { verifications } } }
}

async function approve(verifications: VerificationManager, subject: string): Promise<void> {
  const { sessionId } = await verifications.start(subject)
  await emulator.sessions.complete(String(sessionId), 'APPROVED')
}

it('the job prints every change and what failed, and continues after a failure', async () => {
  const { verifications, wait, modules } = aManager()
  await approve(verifications, 'ada')
  await approve(verifications, 'bo')
  await verifications.start('cy')
  wait()
  emulator.faults.add({ match: 'sessions.decision', status: 400 })

  const printed = await guide.run('Run a reconcile job', { modules })

  expect(printed).toMatch(/^(?:ada|bo): approved$/m)
  expect(printed).toMatch(/^\w+: .*sessions\.decision: 400/m)
  expect(printed).toMatch(/^3 visited, [12] changed, 1 failed$/m)
})

it('only the people that are passed are reconciled', async () => {
  const { verifications, modules } = aManager()
  const { reconcileUsers } = await guide.load<{
    reconcileUsers(ids: readonly string[]): ReturnType<VerificationManager['reconcile']>
  }>('Reconcile some people', { modules })
  await approve(verifications, 'ada')
  await approve(verifications, 'bo')

  expect(await reconcileUsers(['ada'])).toEqual({ visited: 1, changed: 1, failed: 0, failures: [] })
  expect((await verifications.get('bo')).state).toBe('open')
})

it('a reconcile of all people finds those that are in no list', async () => {
  const { verifications, wait, modules } = aManager()
  await approve(verifications, 'ada')
  wait()
  const { reconcileAll } = await guide.load<{ reconcileAll(): ReturnType<VerificationManager['reconcile']> }>(
    'Write the lists again',
    { modules },
  )

  expect(await reconcileAll()).toEqual({ visited: 1, changed: 1, failed: 0, failures: [] })
})

it('the test of the guide passes', async () => {
  await guide.run('Test that nothing is lost')
})

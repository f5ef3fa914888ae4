import { beforeEach, expect, it } from 'vitest'
import { createVerificationManager, memoryStore, VerificationClient } from '../../src/index.ts'
import { signWebhook, type WebhookHandler } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { anEvent } from '../support/webhook.ts'

const guide = documentedCode('docs/guides/cookbook.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

/** A manager with a session of one person that is completed. */
async function aManager(outcome: 'APPROVED' | 'IN_REVIEW') {
  const client = new VerificationClient(emulator.options.verification)
  const session = { workflow_id: 'wf_identity' }
  const verifications = createVerificationManager({ client, store: memoryStore(), session })
  const { sessionId } = await verifications.start('user-42')
  await emulator.sessions.complete(String(sessionId), outcome)
  await verifications.refresh('user-42')
  return { modules: { './verifications.ts': { verifications } } }
}

it('only a person who was approved may order', async () => {
  const around = await aManager('APPROVED')
  const { mayOrder } = await guide.load<{ mayOrder(id: string): Promise<boolean> }>(
    'Require an approval that is newer than a year',
    around,
  )

  expect([await mayOrder('user-42'), await mayOrder('user-43')]).toEqual([true, false])
})

it('the review queue has the person whose session is in review', async () => {
  const around = await aManager('IN_REVIEW')
  const { reviewQueue } = await guide.load<{ reviewQueue(limit: number): Promise<object[]> }>(
    'Show the review queue',
    around,
  )

  expect(await reviewQueue(10)).toEqual([{ userId: 'user-42', since: expect.stringMatching(/^\d{4}-/) }])
})

it('evidence contains no personal data', async () => {
  const id = await guide.aSession()
  await emulator.sessions.complete(id, 'APPROVED')
  const { evidenceOf } = await guide.load<{ evidenceOf(id: string): Promise<object> }>(
    'Keep evidence without personal data',
  )

  const evidence = await evidenceOf(id)

  expect(evidence).toMatchObject({ decision: 'APPROVED', checks: [{ status: 'passed' }, {}, {}] })
  expect(JSON.stringify(evidence)).not.toContain('dob')
})

it('sessions are found by the reference of the person', async () => {
  const id = await guide.aSession()
  const { openSessionsOf } = await guide.load<{ openSessionsOf(id: string): Promise<object[]> }>(
    'Find the sessions of a person',
  )

  expect(await openSessionsOf('user-42')).toMatchObject([{ session_id: id }])
  expect(await openSessionsOf('user-43')).toEqual([])
})

it('two runs of a job are charged once', async () => {
  const { checkAge } = await guide.load<{ checkAge(id: string, dob: string): Promise<boolean> }>(
    'Run a billed check once in a job that is retried',
  )

  expect([await checkAge('1', '1990-05-17'), await checkAge('1', '1990-05-17')]).toEqual([true, true])
  expect(emulator.ledger).toHaveLength(1)
})

it('a request that is aborted ends its call', async () => {
  const id = await guide.aSession()
  const { GET } = await guide.load<{ GET(request: Request): Promise<Response> }>(
    'Cancel a call with the request that needs it',
  )
  const request = (signal: AbortSignal) => new Request(`https://app.example.com/?session=${id}`, { signal })

  expect(await (await GET(request(new AbortController().signal))).json()).toEqual({ status: 'NOT_STARTED' })
  await expect(GET(request(AbortSignal.abort()))).rejects.toMatchObject({ code: 'aborted' })
})

it('the client with a spend limit sends billed calls', async () => {
  const { client } = await guide.load<{ client: VerificationClient }>('Bound what your calls can cost', {
    modules: { './store.ts': { store: memoryStore() } },
  })

  expect((await client.checks.age({ dob: '1990-05-17', bands: [18] })).status).toBe('passed')
})

it('everyone in a list is added', async () => {
  const { addEveryone } = await guide.load<{ addEveryone(emails: string[]): Promise<object> }>(
    'Add everyone in a list to the roster',
  )

  expect(await addEveryone(['ada@example.com', 'bo@example.com'])).toEqual({ created: 2, skipped: 0 })
})

it('an event that is signed with the old secret is accepted', async () => {
  const { handler } = await guide.load<{ handler: WebhookHandler }>(
    'Accept two webhook secrets while you change them',
    { env: { OLD_WEBHOOK_SECRET: 'the old secret' } },
  )
  const event = anEvent()

  expect(await handler.handle(await signWebhook({ event, secret: 'the old secret' }))).toMatchObject({
    outcome: 'unhandled',
  })
})

import { beforeEach, expect, it } from 'vitest'
import { createVerificationManager, memoryStore, VerificationClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/review-and-renew.md')
const { emulator } = guide

/** The manager of the guide "Verify a user once", whose test runs its code. */
const verifications = createVerificationManager({
  client: new VerificationClient(emulator.options.verification),
  store: memoryStore(),
  session: { workflow_id: 'wf_identity' },
})
const modules = { './verifications.ts': { verifications } }

beforeEach(async () => {
  emulator.reset()
  await verifications.forget('user-42')
})

/** Starts a verification and completes it on the hosted page. */
async function complete(status: 'APPROVED' | 'IN_REVIEW'): Promise<void> {
  const { sessionId } = await verifications.start('user-42')
  await emulator.sessions.complete(String(sessionId), status)
}

it('an approval is renewed only if it is old enough', async () => {
  const { renew } = await guide.load<{ renew(id: string): Promise<string> }>('Renew an approval', { modules })
  await complete('APPROVED')
  await verifications.refresh('user-42')

  expect(await renew('user-42')).toBe('/account')
})

it('the people who wait are found by their state', async () => {
  const { reviewQueue, unfinished } = await guide.load<{
    reviewQueue(): Promise<{ waiting: number; queue: readonly object[] }>
    unfinished(): Promise<readonly string[]>
  }>('Find the people who are waiting', { modules })
  await complete('IN_REVIEW')
  await verifications.refresh('user-42')
  const { sessionId, updatedAt } = await verifications.get('user-42')

  expect(await reviewQueue()).toEqual({ waiting: 1, queue: [{ subject: 'user-42', sessionId, updatedAt }] })
  expect(await unfinished()).toEqual([])
})

it('a review keeps who decided and why, and cannot be repeated', async () => {
  const { decide } = await guide.load<{
    decide(id: string, params: object): Promise<unknown>
  }>('Decide a review', { modules })
  await complete('IN_REVIEW')
  const { sessionId } = await verifications.get('user-42')
  const params = {
    sessionId,
    status: 'APPROVED',
    by: 'agent-7',
    reason: 'the photo is old, the person is the same',
  }

  expect(await decide('user-42', params)).toMatchObject({
    state: 'approved',
    by: 'agent-7',
    reason: params.reason,
  })
  await expect(decide('user-42', { ...params, status: 'DECLINED' })).rejects.toThrow('already_decided')
  expect((await verifications.get('user-42')).state).toBe('approved')
})

it('the evidence contains statuses of checks and nothing else of them', async () => {
  const { evidenceOf, forget } = await guide.load<{
    evidenceOf(id: string): Promise<{ checks: object[] }>
    forget(id: string): Promise<boolean>
  }>('Keep evidence, and delete records', { modules })
  await complete('APPROVED')
  await verifications.refresh('user-42')

  const evidence = await evidenceOf('user-42')

  expect(evidence).toMatchObject({ state: 'approved', decidedAt: expect.any(String) })
  expect(new Set(evidence.checks.flatMap(Object.keys))).toEqual(new Set(['type', 'status']))
  expect(await forget('user-42')).toBe(true)
  expect((await verifications.get('user-42')).state).toBe('none')
})

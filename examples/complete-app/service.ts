import { createVerificationManager, OrgClient, SpendLimitError, VerificationClient } from 'identity-service-sdk'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { openPool, readAccount, saveChange } from './database.ts'

const { PORT = '3000', WORKFLOW_ID = 'wf_identity', CHECKS_PER_DAY = '5' } = process.env
export const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

/** What the server and the worker have in common. */
export function connect(redis: Redis) {
  const pool = openPool()
  // A pool of its own, so that pages never keep the store waiting.
  const storePool = openPool()
  const store = postgresStore(storePool)

  const budget = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'checks',
    points: Number(CHECKS_PER_DAY),
    duration: 86_400,
  })
  const client = new VerificationClient({
    // Called once for each call that may be billed. If it rejects, nothing is sent.
    beforeBillable: async ({ spendKey }) => budget.consume(spendKey ?? 'everybody'),
  })
  const org = new OrgClient()

  const verifications = createVerificationManager({
    client,
    store,
    session: { workflow_id: WORKFLOW_ID, redirect_url: `${PUBLIC_URL}/return`, callback: `${PUBLIC_URL}/webhooks` },
    // Called for every change, whether an event, a page or the job found it. If it throws, it is called again, so each
    // step may run twice.
    async onChange(change) {
      await saveChange(pool, change)
      const account = await readAccount(pool, change.subject)
      if (change.to !== 'approved' || !account?.email) return
      // Only somebody new: `add` would reactivate a member whom an admin has deactivated.
      const { found } = await org.members.resolve({ email: account.email })
      if (!found) await org.members.add({ members: [{ email: account.email }] })
    },
  })

  return {
    pool,
    store,
    client,
    verifications,
    close: () => Promise.all([client.close(), org.close(), pool.end(), storePool.end()]),
  }
}

export type Service = ReturnType<typeof connect>

/** Says whether the budget of a person is used up. Otherwise the limiter failed. */
export const isUsedUp = (error: unknown) => error instanceof SpendLimitError && error.original instanceof RateLimiterRes

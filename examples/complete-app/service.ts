import { createVerificationManager, OrgClient, SpendLimitError, VerificationClient } from 'identity-service-sdk'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { openPool, readAccount, saveChange, saveRoster } from './database.ts'

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
    // Called once for each call that may be billed. If it rejects, nothing is sent. Each click counts, also one with the
    // same photo. The guide of spend limits has budgets that count it once.
    beforeBillable: async ({ spendKey }) => budget.consume(spendKey ?? 'everybody'),
  })
  const org = new OrgClient()

  const verifications = createVerificationManager({
    client,
    store,
    session: { workflow_id: WORKFLOW_ID, redirect_url: `${PUBLIC_URL}/return`, callback: `${PUBLIC_URL}/webhooks` },
    // Called for every change, whether an event, a page or the job found it. If it throws, it is called again, so each
    // step may run twice. `signal` aborts if another process may run it too.
    async onChange(change, { signal }) {
      await saveChange(pool, change)
      const account = await readAccount(pool, change.subject)
      if (change.to !== 'approved' || !account?.email || account.closed_at) return
      const { sub, email, roster } = account
      // Once for each person: `add` would bring back somebody whom an admin has removed or deactivated meanwhile.
      if (roster === 'added' || roster === 'found') return
      const { found } = await org.members.resolve({ email }, { signal })
      if (!found) {
        // Noted before, so that closing the account removes who was added just before a crash.
        await saveRoster(pool, sub, 'adding')
        await org.members.add({ members: [{ email }] }, { signal })
      }
      await saveRoster(pool, sub, found && roster === null ? 'found' : 'added')
    },
  })

  return {
    pool,
    store,
    client,
    org,
    verifications,
    close: () => Promise.all([client.close(), org.close(), pool.end(), storePool.end()]),
  }
}

export type Service = ReturnType<typeof connect>

/** Says whether the budget of a person is used up. Otherwise the limiter failed. */
export const isUsedUp = (error: unknown) => error instanceof SpendLimitError && error.original instanceof RateLimiterRes

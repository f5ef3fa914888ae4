import type { Account } from './database.ts'
import type { Service } from './service.ts'

/**
 * Deletes the accounts that were closed long enough ago: whatever was in progress for the person has ended then, so that
 * nothing comes back. If a step fails, the row is still there, and a later job does all steps again.
 */
export async function closeAccounts(service: Service, { closedForMs, signal }: Limits) {
  const { pool } = service
  // Read once, so that this job tries each account once.
  const limit = await pool.query<{ before: string }>("SELECT (now() - $1 * interval '1 millisecond')::text AS before", [
    closedForMs,
  ])
  // Moves the time on, so that no other job takes the account meanwhile.
  const take = `
    UPDATE accounts SET closed_at = now() WHERE sub IN (
      SELECT sub FROM accounts WHERE closed_at < $1::timestamptz LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *, closed_at::text AS taken`
  while (!signal.aborted) {
    const [account] = (await pool.query<TakenAccount>(take, [limit.rows[0]?.before])).rows
    if (!account) return
    await deleteAccount(service, account).catch((error) => console.error('an account is not deleted', String(error)))
  }
}

interface Limits {
  closedForMs: number
  /** Ends the work before the next account. */
  signal: AbortSignal
}

interface TakenAccount extends Account {
  taken: string
}

async function deleteAccount({ pool, verifications, org }: Service, { sub, email, roster, taken }: TakenAccount) {
  const ofJob = 'sub = $1 AND closed_at = $2::timestamptz'
  /** Whether the account is still that of this job, which may have been paused for long. */
  const isTaken = async () => (await pool.query(`SELECT FROM accounts WHERE ${ofJob}`, [sub, taken])).rowCount === 1
  await verifications.forget(sub)
  // Nobody who was in the roster before.
  const isOfApp = email !== null && (roster === 'added' || roster === 'adding')
  if (isOfApp && (await isTaken())) await org.members.remove(email, { permanent: true })
  await pool.query("DELETE FROM session WHERE sess ->> 'sub' = $1", [sub])
  await pool.query(`DELETE FROM accounts WHERE ${ofJob}`, [sub, taken])
}

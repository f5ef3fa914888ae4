import type { Account } from './database.ts'
import type { Service } from './service.ts'

/**
 * Deletes the accounts that were closed long enough ago: whatever was in progress for the person has ended then, so that
 * nothing comes back. If a step fails, the row is still there, and a later job does all steps again.
 */
export async function closeAccounts(service: Service, closedForMs: number) {
  // One at a time, and its time is moved on, so that no other job takes it, and one that fails does not keep the others.
  const take = `
    UPDATE accounts SET closed_at = now() WHERE sub IN (
      SELECT sub FROM accounts WHERE closed_at < now() - $1 * interval '1 millisecond' LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *`
  for (;;) {
    const [account] = (await service.pool.query<Account>(take, [closedForMs])).rows
    if (!account) return
    await deleteAccount(service, account).catch((error) => console.error('an account is not deleted', String(error)))
  }
}

async function deleteAccount({ pool, verifications, org }: Service, { sub, email, roster }: Account) {
  await verifications.forget(sub)
  // Nobody who was in the roster before.
  if (email && (roster === 'added' || roster === 'adding')) await org.members.remove(email, { permanent: true })
  await pool.query("DELETE FROM session WHERE sess ->> 'sub' = $1", [sub])
  await pool.query('DELETE FROM accounts WHERE sub = $1', [sub])
}

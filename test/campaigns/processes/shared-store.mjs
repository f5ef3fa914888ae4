import { postgresStore } from 'identity-service-sdk/stores/postgres'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'

/** The store that the campaign named, over a connection of this process's own. */
export async function sharedStore() {
  const { STORE, STORE_URL = '' } = process.env
  if (STORE === 'Postgres') return postgresStore(new pg.Pool({ connectionString: STORE_URL, max: 10 }))
  if (STORE === 'Redis (ioredis)') return redisStore(new Redis(STORE_URL))
  const client = createClient({ url: STORE_URL })
  await client.connect()
  return redisStore(client)
}

/** @type {(message: object) => void} */
const tell = (message) => void process.send?.(message)

/**
 * Answers each question of the campaign, as often as it asks.
 *
 * @template Question
 * @param {(question: Question) => Promise<unknown>} answer
 */
export function answerWith(answer) {
  process.on('message', async (/** @type {{ id: number, question: Question }} */ { id, question }) => {
    const reply = await answer(question).then(
      (value) => ({ id, value }),
      (/** @type {Error} */ { name, message }) => ({ id, error: { name, message } }),
    )
    tell(reply)
  })
  process.on('disconnect', () => process.exit())
  tell({ ready: true })
}

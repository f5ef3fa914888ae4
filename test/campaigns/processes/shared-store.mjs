// @ts-nocheck: plain JavaScript, which runs against the build as an application does
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

/** Answers each question of the campaign, as often as it asks. */
export function answerWith(answer) {
  process.on('message', async ({ id, question }) => {
    const reply = await answer(question).then(
      (value) => ({ id, value }),
      (error) => ({
        id,
        error: { name: error.name, code: error.code, reason: error.reason, message: error.message },
      }),
    )
    process.send(reply)
  })
  process.on('disconnect', () => process.exit())
  process.send({ ready: true })
}

import { postgresStore } from 'identity-service-sdk/stores/postgres'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient, createCluster } from 'redis'

/** The store that the environment names, over a connection of this process. */
export async function sharedStore() {
  const { STORE, STORE_URL = '' } = process.env
  if (STORE === 'Postgres') return postgresStore(new pg.Pool({ connectionString: STORE_URL, max: 10 }))
  if (STORE === 'Redis (ioredis)') return redisStore(new Redis(STORE_URL))
  if (STORE === 'Redis cluster') {
    const cluster = createCluster({ rootNodes: [{ url: STORE_URL }] }).on('error', console.error)
    return redisStore(await cluster.connect())
  }
  const client = createClient({ url: STORE_URL })
  await client.connect()
  return redisStore(client)
}

/** @type {(message: object) => void} */
const send = (message) => void process.send?.(message)

/**
 * Handles requests of the parent process.
 *
 * @template Params
 * @param {(params: Params) => Promise<unknown>} handle
 */
export function handleRequests(handle) {
  process.on('message', async (/** @type {{ id: number, params: Params }} */ { id, params }) => {
    const reply = await handle(params).then(
      (value) => ({ id, value }),
      (/** @type {Error} */ { name, message }) => ({ id, error: { name, message } }),
    )
    send(reply)
  })
  process.on('disconnect', () => process.exit())
  send({ ready: true })
}

import { redisStore } from 'identity-service-sdk/stores/redis'
import { createClient } from 'redis'

/** The store of all processes, over a connection of this one. */
export async function sharedStore() {
  const client = createClient({ url: process.env.STORE_URL ?? '' })
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

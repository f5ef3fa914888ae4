import { expect, it, onTestFinished } from 'vitest'
import { signWebhook } from '../../src/webhooks.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import { anEvent } from '../support/webhook.ts'
import { emulated, startApp } from './emulated.ts'
import { describeInstalled } from './program.ts'

const redis = { needs: 'redis-server', start: startRedis, setting: 'REDIS_URL' } as const
const postgres = { needs: 'postgres', start: startPostgres, setting: 'DATABASE_URL' } as const

interface Row {
  readonly folder: string
  readonly server: typeof redis | typeof postgres
  readonly settings?: Readonly<Record<string, string>>
  /** False if its packages are those of the repository. */
  readonly hasPackages?: false
}

/** Every example that receives webhooks and has a server of its own. That of Next.js has the client of `express`. */
const rows: readonly Row[] = [
  { folder: 'express', server: redis, hasPackages: false },
  { folder: 'event-queues', server: redis, settings: { QUEUE: 'bullmq' } },
  { folder: 'event-queues', server: postgres, settings: { QUEUE: 'pg-boss' } },
]

/** Much less than a sender waits, which is 300 seconds with the `fetch` of Node. */
const secondsUntilResponse = 20

const service = emulated()

for (const { folder, server, settings, hasPackages } of rows) {
  const rules = () => {
    it(`examples/${folder} responds with 503 in seconds if ${server.needs} is silent, and with 200 when it is back`, async () => {
      const database = await server.start()
      onTestFinished(() => database.remove())
      const env = { ...service.settings, ...settings, [server.setting]: database.url }
      const app = await startApp(folder, ['node', '--import', 'tsx', 'server.ts'], env)
      onTestFinished(() => void app.end('SIGKILL'))
      const deliver = async (event_id: string) => {
        const event = anEvent({ event_id, session_id: 'sess_1', vendor_data: 'ada' })
        const signed = await signWebhook({ event, secret: service.emulator.webhooks.secret })
        const { body, headers } = { ...signed, headers: { ...signed.headers, 'content-type': 'application/json' } }
        return request('/webhooks', { method: 'POST', body, headers })
      }
      const request = async (path: string, init: RequestInit = {}) => {
        const signal = AbortSignal.timeout(secondsUntilResponse * 1000)
        return (await fetch(app.url + path, { ...init, signal })).status
      }
      expect(await deliver('evt_1')).toBe(200)

      database.signal('SIGSTOP')
      expect(await deliver('evt_2'), app.output()).toBe(503)
      database.signal('SIGCONT')

      // Another event, because the server may execute the claim of the second one now, which then lasts for its lease.
      await expect.poll(() => deliver('evt_3'), { timeout: 30_000 }).toBe(200)
    })
  }
  const withServer = () =>
    describeWith(server.needs, `that examples/${folder} does not wait for a silent server`, rules)
  if (hasPackages === false) withServer()
  else describeInstalled(folder, withServer)
}

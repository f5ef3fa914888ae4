import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { signWebhook } from '../../src/webhooks.ts'
import { type Program, startProgram } from '../examples/program.ts'
import { documentedCode } from '../support/documented-code.ts'
import { freePort } from '../support/free-port.ts'
import { patient } from '../support/patience.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent } from '../support/webhook.ts'
import { runtimePath } from './binaries.ts'

const guide = documentedCode('docs/guides/event-queues.md', { runsAllBlocks: false })
const errors = documentedCode('docs/guides/handle-errors.md', { runsAllBlocks: false })

/** A manager of the reader: its calls are printed. */
const verifications = `
  export const verifications = {
    handle: async ({ event_id }) => {
      console.log('handled ' + event_id)
      if (event_id === 'evt_endless') await new Promise(() => {})
    },
    reconcile: async () => console.log('reconciled'),
  }
`

// bullmq 6 requires Node 22.
describeWith(['redis-server', 'node-24'], 'that the NestJS app with a queue works', () => {
  let redis: Service
  let app: Program
  let port: number

  beforeAll(async () => {
    redis = await startRedis()
    port = await freePort()
    const files = {
      'nest.ts': guide.code('NestJS'),
      'sdk-error-filter.ts': errors.code('Respond to your users 2'),
      'error-response.ts': errors.code('Respond to your users'),
      'verifications.ts': verifications,
    }
    const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } }
    for (const [name, source] of Object.entries(files)) {
      const { code } = await transform(source, { loader: 'ts', tsconfigRaw })
      const file = join(guide.installed.project, name.replace(/ts$/, 'mjs'))
      await writeFile(file, code.replaceAll(/(from "\.\/[a-z-]+)\.ts"/g, '$1.mjs"'))
    }
    const env = { PORT: String(port), REDIS_URL: redis.url, SVC_WEBHOOK_SECRET: guide.emulator.webhooks.secret }
    app = startProgram('', [runtimePath('node-24'), join(guide.installed.project, 'nest.mjs')], env)
    await app.printed(/successfully started/)
  }, 60_000)

  afterAll(async () => {
    await app?.end('SIGKILL')
    await redis?.remove()
  })

  async function deliver(event_id: string, secret = guide.emulator.webhooks.secret): Promise<number> {
    const { body, headers } = await signWebhook({ event: anEvent({ event_id }), secret })
    const init = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }
    return (await fetch(`http://127.0.0.1:${port}/webhooks`, init)).status
  }

  it('an event that is delivered twice is processed once, a forged one is rejected, and lost ones are looked for', async () => {
    expect([await deliver('evt_1'), await deliver('evt_1'), await deliver('evt_3', 'another secret')]).toEqual([
      200, 200, 400,
    ])
    expect(await deliver('evt_2')).toBe(200)

    await app.printed(/handled evt_2/)
    await app.printed(/reconciled/)
    await vi.waitFor(
      () => expect(app.output().match(/handled evt_\d/g)).toEqual(['handled evt_1', 'handled evt_2']),
      patient,
    )
  })

  it('an event gets an error if Redis is silent, and the app ends all the same, also with an event in progress', async () => {
    await deliver('evt_endless')
    await app.printed(/handled evt_endless/)
    redis.signal('SIGSTOP')
    onTestFinished(() => redis.signal('SIGCONT'))

    expect(await deliver('evt_4')).toBeGreaterThanOrEqual(500)
    expect(await app.end('SIGTERM')).toBe(0)
  })
})

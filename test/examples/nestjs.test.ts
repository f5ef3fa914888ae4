import { expect, it, onTestFinished, vi } from 'vitest'
import { signWebhook } from '../../src/webhooks.ts'
import { patient } from '../support/patience.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import { emulated, startApp } from './emulated.ts'
import { hostedVerificationRules } from './hosted-verification.ts'
import { describeInstalled, startProgram } from './program.ts'
import { visitor } from './visitor.ts'

const command = ['node', '--import', 'tsx', 'main.ts']

describeInstalled('nestjs', () => {
  hostedVerificationRules({
    folder: 'nestjs',
    command,
    // After its shutdown hooks, Nest ends the process with the signal.
    exitCode: null,
    store: { needs: 'redis-server', start: startRedis, setting: 'REDIS_URL' },
    begin: ({ url }, browser, customer) => browser.visit(`${url}/customers/${customer}/verification`, {}),
    outcomePath: (customer) => `/customers/${customer}`,
  })

  const service = emulated()
  const { emulator } = service

  async function start(more: Record<string, string> = {}) {
    const app = await startApp('nestjs', command, { ...service.settings, ...more })
    onTestFinished(() => void app.end('SIGKILL'))
    return app
  }

  it('the guard sends a person to the hosted page, and lets those in who are approved', async () => {
    const { url } = await start()
    const browser = visitor()
    const refused = await browser.visit(`${url}/customers/ada/wine`)
    const { error, reason, url: hostedPage } = JSON.parse(refused.text)
    expect([refused.status, error, reason]).toEqual([403, 'not verified', 'none'])

    await browser.visit(hostedPage, { choice: 'approve' })
    await emulator.webhooks.settled()

    expect((await browser.visit(`${url}/customers/ada/wine`)).status).toBe(200)
  })

  it('a webhook with portraits, which is larger than the bodies that Nest accepts, is handled', async () => {
    const { url } = await start()
    const event = {
      event_id: 'evt_1',
      type: 'verification.approved',
      session_id: 'sess_1',
      portrait: 'x'.repeat(200_000),
    }
    const signed = await signWebhook({ event, secret: emulator.webhooks.secret })
    const headers = { ...signed.headers, 'content-type': 'application/json' }

    const { status } = await fetch(`${url}/webhooks`, { method: 'POST', body: signed.body, headers })

    expect(status).toBe(200)
  })

  describeWith('redis-server', 'that examples/nestjs closes Redis last', () => {
    it('closes Redis after the requests in progress, which need it', async () => {
      const redis = await startRedis()
      onTestFinished(() => redis.remove())
      const app = await start({ REDIS_URL: redis.url })
      emulator.faults.add({ match: 'sessions.create', delayMs: 500 })
      const response = visitor().visit(`${app.url}/customers/cy/verification`, {})
      await vi.waitFor(() => expect(emulator.requests).toHaveLength(1), patient)

      await app.end('SIGTERM')

      expect((await response).status).toBe(303)
    })
  })

  it('the tests of the example pass', async () => {
    const tests = startProgram('nestjs', ['node', '--import', 'tsx', '--test', 'app.test.ts'], {})

    expect(await tests.ended, tests.output()).toBe(0)
    expect(tests.output()).toMatch(/^# pass 2$/m)
  })
})

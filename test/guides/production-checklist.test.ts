import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { VerificationClient } from '../../src/index.ts'
import { signWebhook, type WebhookHandler } from '../../src/webhooks.ts'
import { managed, signedIn } from '../oidc/managed.ts'
import { documentedCode } from '../support/documented-code.ts'
import { freePort } from '../support/free-port.ts'
import { anEvent } from '../support/webhook.ts'
import { columnOf } from './reading.ts'

const guide = documentedCode('docs/guides/production-checklist.md')
const { emulator } = guide
const callbacks = { onTestEvent: () => undefined, onError: () => undefined }

it('the client reads its key before each attempt', async () => {
  const secrets = new Map([['svc-api-key', 'an old key']])
  const { client } = await guide.load<{ client: VerificationClient }>('Rotate secrets', {
    modules: { './secrets.ts': { secrets }, './webhook-options.ts': { options: callbacks } },
    env: { NEW_WEBHOOK_SECRET: 'the new secret' },
  })

  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'invalid_api_key' })
  secrets.set('svc-api-key', emulator.options.verification.apiKey)
  await expect(client.sessions.list()).resolves.toEqual([])
})

it('during a rotation both webhook secrets are accepted', async () => {
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Rotate secrets', {
    modules: { './secrets.ts': { secrets: new Map() }, './webhook-options.ts': { options: callbacks } },
    env: { NEW_WEBHOOK_SECRET: 'the new secret', OLD_WEBHOOK_SECRET: 'the old secret' },
  })
  let events = 0
  const outcomeOf = async (secret: string) => {
    const event = anEvent({ test: true, event_id: `evt_test_${++events}` })
    return (await handler.handle(await signWebhook({ event, secret }))).outcome
  }

  expect(await outcomeOf('the new secret')).toBe('test')
  expect(await outcomeOf('the old secret')).toBe('test')
  expect(await outcomeOf('another secret')).toBe('rejected')
})

it('during each step of the rotation of a token key, old and new processes read what the other stored', async () => {
  const row = columnOf('docs/guides/production-checklist.md', 'Rotate secrets').indexOf('token key')
  const steps = columnOf('docs/guides/production-checklist.md', 'Rotate secrets', 2)[row] ?? ''
  const lists = [...steps.matchAll(/\[([^\]]+)\]/g)].map(([, names = '']) => names.split(', '))
  expect([lists.length, lists.at(-1)]).toEqual([3, ['new']])
  const { manager } = managed()
  const keys: Record<string, Uint8Array> = { old: randomBytes(32), new: randomBytes(32) }
  const processes = [['old'], ...lists].map((names) => manager({ encryptionKey: names.map((name) => keys[name]) }))

  for (const [step, next] of processes.slice(1).entries()) {
    const last = processes[step]
    await last?.save('user_1', signedIn())
    expect(await next.getAccessToken('user_1')).toBe('access_0')
    await next.save('user_1', signedIn())
    expect(await last?.getAccessToken('user_1')).toBe('access_0')
  }
})

it('the app finishes its deliveries and exits on SIGTERM', async () => {
  const port = await freePort()
  const file = join(guide.installed.project, 'app.mjs')
  await writeFile(file, await guide.script('Shut down'))
  const env = { ...process.env, ...guide.environment({ PORT: String(port) }) }
  const app = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void app.kill('SIGKILL'))
  let printed = ''
  const listening = new Promise<void>((resolve) => {
    app.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('listening')) resolve()
    })
  })
  const exited = once(app, 'exit')
  await listening

  await emulator.sessions.complete(await guide.aSession(`http://127.0.0.1:${port}/webhooks`), 'APPROVED')
  app.kill('SIGTERM')

  expect(await exited).toEqual([0, null])
  expect(printed).toBe('listening\nAPPROVED\ndone\n')
  expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200])
})

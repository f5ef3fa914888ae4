import { expect, it } from 'vitest'
import { signWebhook } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/webhooks.md', { runsAllBlocks: false })
const { emulator } = guide

it('the NestJS app accepts a signed event despite its own body parser, and rejects a forged one', async () => {
  const callbacks = await guide.load<object>('Define the callbacks')
  const modules = { './webhook-options.ts': { ...callbacks } }
  const printed = await guide.whileServing(
    'NestJS',
    async (port) => {
      const callback = `http://127.0.0.1:${port}/webhooks`
      await emulator.sessions.complete(await guide.aSession(callback), 'APPROVED')
      emulator.webhooks.faults.add({ kind: 'bad_signature' })
      await emulator.sessions.complete(await guide.aSession(callback), 'DECLINED')
    },
    { modules },
  )

  expect(printed).toContain('user-42 APPROVED\nexpressWebhook: no secret matches the signature')
})

it('the NestJS app accepts a webhook that is larger than the bodies that Nest accepts', async () => {
  const callbacks = await guide.load<object>('Define the callbacks')
  const modules = { './webhook-options.ts': { ...callbacks } }
  const event = {
    event_id: 'evt_1',
    type: 'verification.approved',
    session_id: 'sess_test_1',
    test: true,
    portrait: 'x'.repeat(200_000),
  }
  const signed = await signWebhook({ event, secret: emulator.webhooks.secret })
  const headers = { ...signed.headers, 'content-type': 'application/json' }
  const statuses: number[] = []

  await guide.whileServing(
    'NestJS',
    async (port) => {
      const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: signed.body, headers })
      statuses.push(response.status)
    },
    { modules },
  )

  expect(statuses).toEqual([200])
})

it('the NestJS app compiles', async () => {
  const files = {
    'nest.mts': guide.code('NestJS').replace('./webhook-options.ts', './webhook-options.mjs'),
    'webhook-options.mts': "export const options = { secret: '', onTestEvent: () => {} }",
  }
  const nestOptions = { module: 'nodenext', experimentalDecorators: 'true', emitDecoratorMetadata: 'true' }

  expect(await guide.installed.compile(files, { ...nestOptions, skipLibCheck: 'true' })).toBe('')
})

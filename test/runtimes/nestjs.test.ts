import { expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/webhook-frameworks.md', { runsAllBlocks: false })
/** The page that defines the callbacks. */
const receiving = documentedCode('docs/guides/webhooks.md', { runsAllBlocks: false })
const { emulator } = guide

it('the NestJS app accepts a signed event despite its own body parser, and rejects a forged one', async () => {
  const callbacks = await receiving.load<object>('Define the callbacks', { env: guide.environment() })
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

it('the NestJS app compiles', async () => {
  const files = {
    'nest.mts': guide.code('NestJS').replace('./webhook-options.ts', './webhook-options.mjs'),
    'webhook-options.mts': "export const options = { secret: '', onTestEvent: () => {} }",
  }
  const nestOptions = { module: 'nodenext', experimentalDecorators: 'true', emitDecoratorMetadata: 'true' }

  expect(await guide.installed.compile(files, { ...nestOptions, skipLibCheck: 'true' })).toBe('')
})

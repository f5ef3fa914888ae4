import { beforeEach, expect, it } from 'vitest'
import { memoryStore, type VerificationClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/production-checklist.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('the client of the checklist uses a rotated API key from the next attempt on', async () => {
  const secrets = new Map([['svc-api-key', 'an old key']])
  const events: string[] = []
  const { client } = await guide.load<{ client: VerificationClient }>('Calls', {
    modules: {
      './secrets.ts': { secrets },
      './store.ts': { store: memoryStore() },
      './metrics.ts': { report: ({ type }: { type: string }) => events.push(type) },
    },
  })

  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'invalid_api_key' })
  secrets.set('svc-api-key', emulator.options.verification.apiKey)
  await expect(client.sessions.list()).resolves.toEqual([])

  expect(events).toEqual(['request', 'response', 'error', 'request', 'response'])
})

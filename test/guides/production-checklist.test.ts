import { beforeEach, expect, it } from 'vitest'
import type { VerificationClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/production-checklist.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('the client of the checklist uses a rotated API key from the next attempt on, and counts billed calls', async () => {
  const secrets = new Map([['svc-api-key', 'an old key']])
  const events: string[] = []
  const counted: string[] = []
  const { client } = await guide.load<{ client: VerificationClient }>('Calls', {
    modules: {
      './secrets.ts': { secrets },
      './limiter.ts': { limiter: () => ({ consume: async (key: string) => void counted.push(key) }) },
      './metrics.ts': { report: ({ type }: { type: string }) => events.push(type) },
    },
  })

  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'invalid_api_key' })
  secrets.set('svc-api-key', emulator.options.verification.apiKey)
  await expect(client.sessions.list()).resolves.toEqual([])
  expect(counted).toEqual([])
  await client.checks.age({ dob: '1990-01-01', bands: [18] })
  expect(counted).toEqual(['all'])

  expect(events).toEqual(['request', 'response', 'error', ...Array(2).fill(['request', 'response']).flat()])
})

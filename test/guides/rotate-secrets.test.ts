import { expect, it } from 'vitest'
import type { VerificationClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/rotate-secrets.md')
const { emulator } = guide

it('the client reads its key before each attempt', async () => {
  const secrets = new Map([['svc-api-key', 'an old key']])
  const { client } = await guide.load<{ client: VerificationClient }>('Rotate secrets', {
    modules: { './secrets.ts': { secrets } },
  })

  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'invalid_api_key' })
  secrets.set('svc-api-key', emulator.options.verification.apiKey)
  await expect(client.sessions.list()).resolves.toEqual([])
})

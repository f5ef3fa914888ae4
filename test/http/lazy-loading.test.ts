import { expect, it, vi } from 'vitest'
import { loopbackServer } from '../support/loopback-server.ts'

/** Notes when a package is loaded. That the published build keeps to it is for the test of the package. */
const loaded: string[] = []
vi.doMock('undici', async (original) => {
  loaded.push('undici')
  return original()
})
vi.doMock('form-data', async (original) => {
  loaded.push('form-data')
  return original()
})
vi.doMock('jose', async (original) => {
  loaded.push('jose')
  return original()
})

it('loads undici at the first call, form-data at the first form, and neither for an import', async () => {
  const server = await loopbackServer()
  const { VerificationClient } = await import('../../src/verification.ts')
  const client = new VerificationClient({ baseUrl: server.url, apiKey: 'key_test' })
  const atImport = [...loaded]

  await client.sessions.retrieve('s')
  const atFirstCall = [...loaded]
  await client.checks.liveness({ image: Uint8Array.of(1) })
  await client.close()

  expect([atImport, atFirstCall, loaded]).toEqual([[], ['undici'], ['undici', 'form-data']])
})

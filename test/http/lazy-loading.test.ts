import { expect, it, vi } from 'vitest'
import { livenessCheck, standalone } from '../support/fixtures.ts'
import { loopbackServer, success } from '../support/loopback-server.ts'

// The test of the package checks that the published build loads its dependencies at the same times.
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

it('loads undici at the first call, form-data at the first form, and neither at import', async () => {
  const server = await loopbackServer(success(), success(standalone(livenessCheck())))
  const { VerificationClient } = await import('../../src/verification.ts')
  const client = new VerificationClient({ baseUrl: server.url, apiKey: 'key_test' })
  const atImport = [...loaded]

  await client.sessions.retrieve('s')
  const atFirstCall = [...loaded]
  await client.checks.liveness({ image: Uint8Array.of(1) })
  await client.close()

  expect([atImport, atFirstCall, loaded]).toEqual([[], ['undici'], ['undici', 'form-data']])
})

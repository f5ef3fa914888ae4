import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it, vi } from 'vitest'
import { describeUnless } from '../support/programs.ts'

const lowest = new URL('../node_modules/undici-lowest/', import.meta.url)
const missing = existsSync(lowest) ? [] : ['the lowest undici (npm ci --prefix test)']

// Replaces undici for the transport and for the tests of it below.
vi.mock('undici', () => createRequire(import.meta.url)('undici-lowest'))

const jsonOf = (url: URL) => JSON.parse(readFileSync(url, 'utf8'))

describeUnless(missing, 'that the client works with the lowest undici that package.json allows', () => {
  it('tests the lowest undici that package.json allows', async () => {
    const { dependencies } = jsonOf(new URL('../../package.json', import.meta.url))
    const { version } = jsonOf(new URL('package.json', lowest))
    const { Pool } = await import('undici')

    expect(dependencies.undici).toBe(`^${version}`)
    expect(Pool).toBe(createRequire(import.meta.url)('undici-lowest').Pool)
  })
})

// The rules of the transport, once more.
if (missing.length === 0) {
  await import('../http/transport/connection-failures.test.ts')
  await import('../http/transport/dispatchers.test.ts')
  await import('../http/transport/env-proxy.test.ts')
  await import('../http/transport/pool.test.ts')
  await import('../http/transport/response-bodies.test.ts')
  await import('../http/body/files.test.ts')
  await import('../http/body/resending.test.ts')
  await import('../http/aborts.test.ts')
  await import('../http/closing.test.ts')
  await import('../http/retries.test.ts')
  await import('../http/timeouts.test.ts')
}

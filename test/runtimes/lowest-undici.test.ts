import { existsSync, readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { describeUnless } from '../support/programs.ts'

const lowest = new URL('../node_modules/undici-lowest/', import.meta.url)
const missing = existsSync(lowest) ? [] : ['the lowest undici (npm ci --prefix test)']

// Replaces undici for the transport and for the tests of it below.
vi.mock('undici', () => lowestUndici(''))
vi.mock('undici/lib/dispatcher/pool.js', () => ({ default: lowestUndici('/lib/dispatcher/pool.js') }))
const lowestUndici = vi.hoisted(
  () => (part: string) =>
    process.getBuiltinModule('node:module').createRequire(import.meta.url)(`undici-lowest${part}`),
)

const jsonOf = (url: URL) => JSON.parse(readFileSync(url, 'utf8'))

describeUnless(missing, 'that the client works with the lowest undici that package.json allows', () => {
  it('tests the lowest undici that package.json allows', async () => {
    const { dependencies } = jsonOf(new URL('../../package.json', import.meta.url))
    const { version } = jsonOf(new URL('package.json', lowest))
    const { Pool } = await import('undici')

    expect(dependencies.undici).toBe(`^${version}`)
    expect(Pool).toBe(lowestUndici('').Pool)
    expect((await import('undici/lib/dispatcher/pool.js')).default).toBe(Pool)
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

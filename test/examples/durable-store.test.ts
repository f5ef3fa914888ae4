import { execFile } from 'node:child_process'
import { cp, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Store } from '../../src/webhooks.ts'
import { freePort } from '../support/free-port.ts'
import { type Service, startService } from '../support/service-process.ts'
import { describeInstalled, examplePath } from './program.ts'

/** A Worker that runs the requested operation on the example's store. */
const storeWorker = `
import { durableStore, StoredValue } from ${JSON.stringify(examplePath('workers/store.ts'))}
export { StoredValue }
export default {
  async fetch(request, { STORE }) {
    const { operation, args } = await request.json()
    return Response.json(await durableStore(STORE)[operation](...args))
  },
}`

describeInstalled('workers', () => {
  let worker: Service

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'durable-store-'))
    const program = join(folder, 'program.js')
    await writeFile(program, storeWorker)
    const bundling = ['--bundle', '--format=esm', '--external:cloudflare:*', '--log-level=error']
    await promisify(execFile)(examplePath('workers/node_modules/.bin/esbuild'), [
      program,
      ...bundling,
      `--outfile=${join(folder, 'dist/worker.js')}`,
    ])
    await cp(examplePath('workers/config.capnp'), join(folder, 'config.capnp'))
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    worker = await startService({
      command: examplePath('workers/node_modules/.bin/workerd'),
      args: ['serve', 'config.capnp', `--socket-addr=http=127.0.0.1:${port}`],
      port,
      url,
      folder,
      ready: () => fetch(url),
    })
  })

  afterAll(() => worker?.remove())

  const run = async (operation: keyof Store, ...args: unknown[]) => {
    const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify({ operation, args }) })
    if (!response.ok) throw new Error(await response.text())
    return response.json() as Promise<never>
  }

  const atOnce = <T>(call: (i: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, i) => call(i)))
  const wins = (results: readonly unknown[]) => results.filter((result) => result !== false && result !== null)

  it('of 20 concurrent writes with ifAbsent, one succeeds', async () => {
    const results = await atOnce((i) => run('set', 'claimed', String(i), { ifAbsent: true }))
    expect(wins(results)).toHaveLength(1)
    expect(await run('get', 'claimed')).toBe(String(results.indexOf(true as never)))
  })

  it('of 20 concurrent replacements, takes or deletions of one value, one succeeds', async () => {
    await run('set', 'replaced', 'old')
    expect(wins(await atOnce((i) => run('compareAndSet', 'replaced', 'old', `new ${i}`, {})))).toHaveLength(1)
    await run('set', 'taken', 'once')
    expect(wins(await atOnce(() => run('take', 'taken')))).toEqual(['once'])
    await run('set', 'deleted', 'held')
    expect(await run('compareAndDelete', 'deleted', 'another value')).toBe(false)
    expect(wins(await atOnce(() => run('compareAndDelete', 'deleted', 'held')))).toHaveLength(1)
    expect(await run('get', 'deleted')).toBeNull()
  })

  it('a value expires after its ttl, and its key is then free', async () => {
    await run('set', 'short', '1', { ttlMs: 50 })
    await expect.poll(() => run('get', 'short')).toBeNull()
    expect(await run('compareAndSet', 'short', '1', '2', {})).toBe(false)
    expect(await run('set', 'short', '2', { ifAbsent: true, ttlMs: 1e300 })).toBe(true)
    expect(await run('get', 'short')).toBe('2')
  })

  it('a value that is written again gets the new ttl, or none', async () => {
    await run('set', 'kept', '1', { ttlMs: 2_000 })
    await run('set', 'ended', '1')
    await run('set', 'kept', '2')
    await run('set', 'ended', '2', { ttlMs: 2_000 })
    await expect.poll(() => run('get', 'ended'), { timeout: 10_000 }).toBeNull()
    expect(await run('get', 'kept')).toBe('2')
  })
})

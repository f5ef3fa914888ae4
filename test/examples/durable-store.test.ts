import { execFile } from 'node:child_process'
import { cp, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Store } from '../../src/webhooks.ts'
import { freePort, type Service, startService } from '../support/services.ts'
import { describeInstalled, examplePath } from './program.ts'

/** A Worker that does with the store of the example what it is told. */
const doesAsItIsTold = `
import { durableStore, StoredValue } from ${JSON.stringify(examplePath('workers/store.js'))}
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
    await writeFile(program, doesAsItIsTold)
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

  const does = async (operation: keyof Store, ...args: unknown[]) => {
    const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify({ operation, args }) })
    if (!response.ok) throw new Error(await response.text())
    return response.json() as Promise<never>
  }

  const atOnce = <T>(call: (i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: 20 }, (_, i) => call(i)))
  const wins = (results: readonly unknown[]) =>
    results.filter((result) => result !== false && result !== null)

  it('of many who write at once where nothing is, one does', async () => {
    const results = await atOnce((i) => does('set', 'claimed', String(i), { ifAbsent: true }))
    expect(wins(results)).toHaveLength(1)
    expect(await does('get', 'claimed')).toBe(String(results.indexOf(true as never)))
  })

  it('of many who replace, take or delete one value at once, one does', async () => {
    await does('set', 'replaced', 'old')
    expect(wins(await atOnce((i) => does('compareAndSet', 'replaced', 'old', `new ${i}`, {})))).toHaveLength(
      1,
    )
    await does('set', 'taken', 'once')
    expect(wins(await atOnce(() => does('take', 'taken')))).toEqual(['once'])
    await does('set', 'deleted', 'held')
    expect(await does('compareAndDelete', 'deleted', 'by somebody else')).toBe(false)
    expect(wins(await atOnce(() => does('compareAndDelete', 'deleted', 'held')))).toHaveLength(1)
    expect(await does('get', 'deleted')).toBeNull()
  })

  it('a value ends with its lifetime, and its place is free then', async () => {
    await does('set', 'short', '1', { ttlMs: 50 })
    await expect.poll(() => does('get', 'short')).toBeNull()
    expect(await does('compareAndSet', 'short', '1', '2', {})).toBe(false)
    expect(await does('set', 'short', '2', { ifAbsent: true, ttlMs: 1e300 })).toBe(true)
    expect(await does('get', 'short')).toBe('2')
  })

  it('a value that was written again lives by the new lifetime, or for good', async () => {
    await does('set', 'kept', '1', { ttlMs: 2_000 })
    await does('set', 'ended', '1')
    await does('set', 'kept', '2')
    await does('set', 'ended', '2', { ttlMs: 2_000 })
    await expect.poll(() => does('get', 'ended'), { timeout: 10_000 }).toBeNull()
    expect(await does('get', 'kept')).toBe('2')
  })
})

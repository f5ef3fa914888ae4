import { execFile } from 'node:child_process'
import { cp, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ListEntry, ListingStore } from '../../src/webhooks.ts'
import { freePort } from '../support/free-port.ts'
import { type Service, startService } from '../support/service-process.ts'
import { testRules } from '../support/store-rules.ts'
import { emulated } from './emulated.ts'
import { describeInstalled, examplePath } from './program.ts'
import { signInAndBegin } from './sign-in-first.ts'
import { visitor } from './visitor.ts'

/** The example, with a route for operations of its store, and one that runs its cron trigger a day later. */
const program = `
import worker, { StoredValues } from ${JSON.stringify(examplePath('workers/worker.ts'))}
import { durableStore } from ${JSON.stringify(examplePath('workers/store.ts'))}
export { StoredValues }
const routes = {
  async '/store'(request, { STORE }) {
    const { operation, args } = await request.json()
    const store = durableStore(STORE)
    const result = await (operation in store ? store : store.lists)[operation](...args.map((one) => one ?? undefined))
    return Response.json(result?.next ? await Array.fromAsync(result) : result)
  },
  async '/scheduled'() {
    const { now } = Date
    Date.now = () => now() + 86_400_000
    await worker.scheduled().finally(() => { Date.now = now })
    return new Response('done')
  },
}
export default { fetch: (request, env) => (routes[new URL(request.url).pathname] ?? worker.fetch)(request, env) }`

describeInstalled('workers', () => {
  const service = emulated()
  let worker: Service

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'durable-store-'))
    const file = join(folder, 'program.js')
    await writeFile(file, program)
    const bundling = ['--bundle', '--format=esm', '--external:cloudflare:*', '--external:node:*', '--log-level=error']
    await promisify(execFile)(examplePath('workers/node_modules/.bin/esbuild'), [
      file,
      ...bundling,
      '--conditions=workerd,worker,browser',
      `--outfile=${join(folder, 'dist/worker.js')}`,
    ])
    await cp(examplePath('workers/config.capnp'), join(folder, 'config.capnp'))
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const settings = Object.entries({ ...service.settings, PUBLIC_URL: url }).map((pair) => pair.join('='))
    const workerd = examplePath('workers/node_modules/.bin/workerd')
    worker = await startService({
      command: 'env',
      args: [
        ...[...settings, workerd, 'serve', 'config.capnp'],
        ...[`--socket-addr=http=127.0.0.1:${port}`, `--directory-path=values=${folder}`],
      ],
      port,
      url,
      folder,
      ready: () => fetch(url, { redirect: 'manual' }),
    })
  })

  afterAll(() => worker?.remove())

  const run = async (operation: keyof ListingStore | keyof ListingStore['lists'], ...args: unknown[]) => {
    // JSON has no infinity.
    const body = JSON.stringify({ operation, args }, (_, value) => (value === Number.POSITIVE_INFINITY ? 1e300 : value))
    const response = await fetch(`${worker.url}/store`, { method: 'POST', body })
    if (!response.ok) throw new Error(await response.text())
    return response.json() as Promise<never>
  }
  async function* all<Item>(operation: 'scan' | 'range', ...args: unknown[]): AsyncGenerator<Item> {
    const items: Item[] = await run(operation, ...args)
    yield* items
  }
  const store: ListingStore = {
    get: (...args) => run('get', ...args),
    set: (...args) => run('set', ...args),
    compareAndSet: (...args) => run('compareAndSet', ...args),
    take: (...args) => run('take', ...args),
    delete: (...args) => run('delete', ...args),
    compareAndDelete: (...args) => run('compareAndDelete', ...args),
    scan: (prefix) => all<string>('scan', prefix),
    lists: {
      replace: (...args) => run('replace', ...args),
      range: (...args) => all<ListEntry>('range', ...args),
      count: (list) => run('count', list),
    },
  }

  testRules('the store of Durable Objects', () => store)

  it('the cron trigger finds the outcome of a webhook that was lost', async () => {
    const { emulator } = service
    const browser = visitor()
    const { next } = await signInAndBegin({ url: worker.url } as never, browser, 'user_sample')
    emulator.webhooks.faults.add({ kind: 'lost', times: Number.POSITIVE_INFINITY })
    await browser.visit(next, { choice: 'approve' })
    await emulator.webhooks.settled()
    const state = async () => JSON.parse((await browser.visit(`${worker.url}/me`)).text).state
    expect(await state()).toBe('open')

    await fetch(`${worker.url}/scheduled`)

    expect(await state()).toBe('approved')
  })
})

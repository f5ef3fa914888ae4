import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Service } from '../support/service-process.ts'
import { describeWith } from '../support/programs.ts'
import { only, type Platform, rulesFor, type Seen } from './rules.ts'
import { type Bundle, bundleForWorkers, startWorker } from './workerd.ts'
import { type World, world } from './world.ts'

const workers: Platform = {
  userAgent: /^Cloudflare-Workers$/,
  transport: 'fetch',
  hasFiles: false,
  tellsRefusedConnections: false,
  tellsLengthOfStreams: false,
}

const flags = [
  ['without Node compatibility', []],
  ['with nodejs_compat', ['nodejs_compat']],
] as const

describeWith(['workerd', 'esbuild'], 'that the package works on Workers', () => {
  let around: World
  let bundle: Bundle

  beforeAll(async () => {
    around = await world({ file: '' })
    bundle = await bundleForWorkers(around, 'worker.mjs')
  }, 60_000)

  afterAll(() => around.remove())

  describe.each(flags)('%s', (_, compatibility) => {
    let seen: Seen
    let worker: Service

    beforeAll(async () => {
      worker = await startWorker(around, bundle, compatibility)
      seen = (await (await fetch(worker.url)).json()) as Seen
    }, 60_000)

    afterAll(() => worker.remove())

    it.each(rulesFor(workers))('%s', (_, expected) => {
      expect(only(expected, seen)).toEqual(expected)
    })
  })

  it("a bundle holds the web's files, and neither undici nor form-data", () => {
    const ours = bundle.files.filter((path) => path.includes('identity-service-sdk/dist/runtime/'))
    expect(ours.map((path) => path.replace(/.*\//, '')).sort()).toEqual([
      'listen.web.js',
      'transport.web.js',
      'web.js',
    ])
    expect(bundle.files.filter((path) => /node_modules\/(?:undici|form-data)\//.test(path))).toEqual([])
  })

  it('of Node a bundle asks for files alone, and only when an image is read from one', () => {
    const { imports } = bundle
    expect(imports.filter(({ path }) => path !== 'cloudflare:workers')).toEqual([
      { path: 'node:fs/promises', kind: 'dynamic-import', external: true },
    ])
  })

  it.each(['webhooks', 'oidc', 'errors', 'org'])('…/%s asks for nothing of Node', async (entry) => {
    const source = `export * from 'identity-service-sdk/${entry}'`
    const { imports } = await bundleForWorkers(around, `${entry}.mjs`, source)
    expect(imports).toEqual([])
  })

  it('requests that validate tokens at the same time share one fetch of keys', async () => {
    const worker = await freshWorker()
    const keys = around.service.holdKeys()
    const requests = [fetch(`${worker.url}/id-token`), fetch(`${worker.url}/id-token`)]
    await keys.asked
    await fetch(`${worker.url}/ready`)
    keys.release()

    const answers = await Promise.all(requests.map(async (request) => (await request).json()))

    expect(answers).toEqual(['user_1', 'user_1'])
    expect(keys.fetches()).toBe(1)
  })

  it("a request that is given up takes nobody else's keys with it", async () => {
    const worker = await freshWorker()
    const keys = around.service.holdKeys()
    const leaving = new AbortController()
    const left = fetch(`${worker.url}/id-token`, { signal: leaving.signal }).catch((error) => error.name)
    await keys.asked
    const next = fetch(`${worker.url}/id-token`)
    leaving.abort()
    await fetch(`${worker.url}/ready`)
    keys.release()

    expect(await left).toBe('AbortError')
    expect(await (await next).json()).toBe('user_1')
  })

  /** One that has no keys yet. */
  async function freshWorker(): Promise<Service> {
    const worker = await startWorker(around, bundle, [])
    onTestFinished(() => worker.remove())
    return worker
  }
})

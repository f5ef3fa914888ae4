import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeWith } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { only, type Platform, type Report, rulesFor } from './rules.ts'
import { createTestProject, type TestProject } from './test-project.ts'
import { type Bundle, bundleForWorkers, startWorker } from './workerd.ts'

const workers: Platform = {
  userAgent: /^Cloudflare-Workers$/,
  transport: 'fetch',
  hasFiles: false,
  reportsRefusedConnections: false,
  sendsLengthOfStreams: false,
}

const flags = [
  ['without Node compatibility', [], undefined],
  ['with nodejs_compat', ['nodejs_compat'], undefined],
  // A request that names a cache mode throws there.
  ['with an old compatibility date', [], '2024-10-01'],
] as const

describeWith(['workerd', 'esbuild'], 'that the package works on Workers', () => {
  let project: TestProject
  let bundle: Bundle

  beforeAll(async () => {
    project = await createTestProject({ file: '' })
    bundle = await bundleForWorkers(project, 'worker.mjs')
  }, 60_000)

  afterAll(() => project.remove())

  describe.each(flags)('%s', (_, compatibility, date) => {
    let report: Report
    let worker: Service

    beforeAll(async () => {
      worker = await startWorker(project, bundle, compatibility, date)
      report = (await (await fetch(worker.url)).json()) as Report
    }, 60_000)

    afterAll(() => worker.remove())

    it.each(rulesFor(workers))('%s', (_, expected) => {
      expect(only(expected, report)).toEqual(expected)
    })
  })

  it('a bundle contains the modules for the web, and neither undici nor form-data', () => {
    const ours = bundle.files.filter((path) => path.includes('identity-service-sdk/dist/platform/'))
    expect(ours.map((path) => path.replace(/.*\//, '')).sort()).toEqual([
      'form-frames.web.js',
      'node-http.web.js',
      // Of the emulator.
      'openapi.cjs',
      'undici.web.js',
    ])
    expect(bundle.files.filter((path) => /node_modules\/(?:undici|form-data)\//.test(path))).toEqual([])
  })

  it('a bundle imports no module of Node', () => {
    const { imports } = bundle
    expect(imports.filter(({ path }) => path !== 'cloudflare:workers')).toEqual([])
  })

  it.each([
    ['/webhooks', '*'],
    ['', '{ OidcClient, validateIdToken }'],
    ['', '{ ApiError, isErrorCode }'],
    ['', '{ OrgClient }'],
  ])('a bundle of identity-service-sdk%s with %s imports no module of Node', async (entry, names) => {
    const source = `export ${names} from 'identity-service-sdk${entry}'`
    const { imports } = await bundleForWorkers(project, 'names.mjs', source)
    expect(imports).toEqual([])
  })

  it('requests that validate tokens at the same time share one fetch of keys', async () => {
    const worker = await freshWorker()
    const keys = project.service.holdKeys()
    const requests = [fetch(`${worker.url}/id-token`), fetch(`${worker.url}/id-token`)]
    await keys.requested
    await fetch(`${worker.url}/ready`)
    keys.release()

    const subjects = await Promise.all(requests.map(async (request) => (await request).json()))

    expect(subjects).toEqual(['user_1', 'user_1'])
    expect(keys.fetches()).toBe(1)
  })

  it('an aborted request does not cancel the fetch of keys that another request needs', async () => {
    const worker = await freshWorker()
    const keys = project.service.holdKeys()
    const controller = new AbortController()
    const aborted = fetch(`${worker.url}/id-token`, { signal: controller.signal }).catch((error) => error.name)
    await keys.requested
    const next = fetch(`${worker.url}/id-token`)
    controller.abort()
    await fetch(`${worker.url}/ready`)
    keys.release()

    expect(await aborted).toBe('AbortError')
    expect(await (await next).json()).toBe('user_1')
  })

  // An older runtime lets a request wait for a promise of an ended one for ever, a newer one rejects it.
  describe.each(['2026-11-01', '2024-09-01'])('after a request that ended early, at %s', (date) => {
    let ended: Bundle

    beforeAll(async () => {
      ended = await bundleForWorkers(project, 'ended.mjs')
    })

    it.each([
      ['validates tokens', '/keys', 'user_1'],
      ['reports a refresh of unknown outcome', '/refresh', 'TokenManagerError: refresh_outcome_unknown'],
    ])('%s in two requests at the same time', async (_, path, expected) => {
      const worker = await freshWorker(ended, date)
      const keys = project.service.holdKeys()
      expect(await (await fetch(`${worker.url}${path}?ends`)).json()).toBe('ended')

      const requests = [fetch(worker.url + path), fetch(worker.url + path)]
      keys.release()

      expect(await Promise.all(requests.map(async (request) => (await request).json()))).toEqual([expected, expected])
    })

    it('delivers the changes of a person', async () => {
      const worker = await freshWorker(ended, date)
      expect(await (await fetch(`${worker.url}/delivery?ends`)).json()).toBe('ended')

      await vi.waitFor(
        async () => expect(await (await fetch(`${worker.url}/delivery`)).json()).toEqual(['open', 'open']),
        { timeout: 10_000 },
      )
    })
  })

  /** Starts a Worker that has not fetched keys yet. */
  async function freshWorker(program = bundle, date?: string): Promise<Service> {
    const worker = await startWorker(project, program, [], date)
    onTestFinished(() => worker.remove())
    return worker
  }
})

import { execFile } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import { emulated, startApp } from './emulated.ts'
import { hostedVerificationRules } from './hosted-verification.ts'
import { describeInstalled, examplePath } from './program.ts'
import { visitor } from './visitor.ts'

const next = 'node_modules/next/dist/bin/next'

describeInstalled('next', () => {
  beforeAll(async () => {
    const env = { PATH: process.env.PATH, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const
    await promisify(execFile)(process.execPath, [next, 'build'], { cwd: examplePath('next'), env })
  }, 400_000)

  hostedVerificationRules({
    folder: 'next',
    command: ['node', next, 'start'],
    // Next finishes the requests in progress and then exits with the code of the signal.
    exitCode: 143,
    store: { needs: 'redis-server', start: startRedis, setting: 'REDIS_URL' },
    async begin({ url }, browser, customer) {
      const { text } = await browser.visit(url)
      // The hidden field of a server action's form, for browsers without scripts.
      const [, action = ''] = /name="(\$ACTION_ID_\w+)"/.exec(text) ?? []
      const form = new FormData()
      form.set(action, '')
      form.set('customer', customer)
      const response = await browser.visit(url, form)
      return response.next.startsWith(url) ? browser.visit(response.next) : response
    },
    outcomePath: (customer) => `/customers/${customer}`,
  })
})

const guide = documentedCode('docs/guides/sign-in.md', { runsAllBlocks: false })
const gate = documentedCode('docs/guides/verify-once.md', { runsAllBlocks: false })

const instrumentation = `
  import { configure } from 'identity-service-sdk'

  const print = (message: string) => console.log('as configured:', message)
  export const register = () => configure({ logger: { debug: print, info: print, warn: print, error: print } })`

describeInstalled('next', () => {
  const service = emulated()
  // Inside of the repository, which Turbopack must have as its root, because the example links the package.
  const folder = '../test-results/next-sign-in'
  const at = (path: string) => join(examplePath(folder), path)
  const config = {
    basePath: '/app',
    trailingSlash: true,
    turbopack: { root: examplePath('..') },
    typescript: { ignoreBuildErrors: true },
  }

  beforeAll(async () => {
    await rm(at(''), { recursive: true, force: true })
    const files = {
      'package.json': '{ "type": "module" }',
      'next.config.mjs': `export default { ...${JSON.stringify(config)}, distDir: process.env.DIST }`,
      // The URL of a request has the host localhost, so that a list needs the host of the request.
      'sign-in.ts': guide
        .code('Next.js')
        .replace(/redirectUri: (.+) }/, "redirectUri: ['https://a.test/app/callback', $1] }"),
      'instrumentation.ts': instrumentation,
      'session.ts':
        "export const userIdOf = () => 'user-42'\nexport const sessionCookie = async () => 'session=1; Path=/'",
      'verifications.ts': gate.code('Create the manager'),
      'approved-only.ts': gate.code('Next.js'),
      'app/wine/route.ts': "export { GET } from '../../approved-only.ts'",
      'app/login/route.ts': "export { GET } from '../../sign-in.ts'",
      'app/callback/route.ts': "export { GET } from '../../sign-in.ts'",
    }
    for (const path of ['app/login', 'app/callback', 'app/wine']) await mkdir(at(path), { recursive: true })
    for (const [path, text] of Object.entries(files)) await writeFile(at(path), text)
    await symlink(examplePath('next/node_modules'), at('node_modules'))
  })
  afterAll(() => rm(at(''), { recursive: true, force: true }))

  it.each(['turbopack', 'webpack'].flatMap((bundler) => ['dev', 'start'].map((mode) => ({ bundler, mode }))))(
    'signs people in below a basePath, lets nobody past the gate, and logs as instrumentation.ts says: $bundler, $mode',
    async ({ bundler, mode }) => {
      const DIST = `.next/${bundler}-${mode}`
      // `next build` loads the modules of the routes too.
      const env = { ...service.settings, NEXT_TELEMETRY_DISABLED: '1', DIST }
      const program = at(next)
      const build = { cwd: at(''), env: { ...env, PATH: process.env.PATH, NODE_ENV: 'production' } as const }
      if (mode === 'start') await promisify(execFile)(process.execPath, [program, 'build', `--${bundler}`], build)
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const flags = mode === 'dev' ? [`--${bundler}`] : []
      const settings = { ...env, PUBLIC_URL: url }
      const app = await startApp(folder, ['node', program, mode, ...flags], settings, port)
      const browser = visitor()

      // Each request without the slash is redirected first, with its query.
      const login = await browser.visit((await browser.visit(`${url}/app/login?returnTo=/app/orders`)).next)
      const callback = await browser.visit(service.emulator.signIn.approve(login.next))
      const finished = await browser.visit(callback.next)

      expect([login.status, callback.status, finished.status]).toEqual([302, 308, 303])
      expect(finished.next).toBe(`${url}/app/orders`)
      await app.printed(/as configured: oidc\.exchangeCode/)
      const wine = await browser.visit(`${url}/app/wine/`)
      expect([wine.status, wine.text]).toEqual([307, expect.not.stringContaining('Wine')])
      await app.end('SIGKILL', 'group')
    },
    400_000,
  )
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { VerificationClient } from '../src/index.ts'
import { visitHostedPage } from './guides/reading.ts'
import { documentedCode } from './support/documented-code.ts'

const readme = documentedCode('README.md')
const { emulator } = readme

it('every command of the README exists', async () => {
  const text = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  expect(text.indexOf('npm ci && npm test')).toBeLessThan(text.indexOf('## First call'))
  expect(text).toMatch(/tests take about \w+ minutes on two cores:\n\n```sh\nnpm ci && npm test\n/)
  const { scripts, version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  const commands = [...text.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command]) => command)
  expect(commands).toEqual([
    'npm install identity-service-sdk',
    `npm install ./identity-service-sdk-${version}.tgz`,
    'npm ci && npm run quickstart',
    'npm ci && npm test',
  ])
  expect(scripts).toMatchObject({ quickstart: expect.any(String), test: expect.any(String) })
})

it.each([
  ['`SVC_TRANSPORT=fetch`', { SVC_TRANSPORT: 'fetch' }, {}],
  ['`fetch: globalThis.fetch`', {}, { fetch: 'global' }],
])(
  'with %s, as the README says, a mock of the global fetch gets the requests',
  async (written, env, options) => {
    const mock = vi.fn(async () => Response.json({ success: true, data: [], error: null }))
    vi.stubGlobal('fetch', mock)
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const own = 'fetch' in options ? { fetch: globalThis.fetch } : {}

    await new VerificationClient({ baseUrl: 'https://id.example.com', apiKey: 'key', ...own }).sessions.list()

    expect(mock).toHaveBeenCalledTimes(1)
    const text = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    expect(text).toContain('MSW and nock')
    expect(text).toContain(written)
  },
)

it('the first call creates a session', async () => {
  expect(await readme.run('First call')).toMatch(`send the person to ${readme.service.url}/s/`)
})

it('the verification manager opens the protected page to a person who is approved', async () => {
  const output = await readme.whileServing('Verify a user once', async (port) => {
    const visit = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' })
    const hostedPage = String((await visit('/verify')).headers.get('location'))
    expect((await visit('/verify')).headers.get('location')).toBe(hostedPage)
    expect((await visit('/wine')).status).toBe(500)

    await visitHostedPage(hostedPage, 'approve')
    await emulator.webhooks.settled()

    expect((await visit('/verify')).headers.get('location')).toBe('/wine')
    expect(await (await visit('/wine')).text()).toBe('Wine')
  })
  expect(output).toContain('user-42: none -> open\n')
  expect(output).toContain('user-42: open -> approved\n')
})

it('the webhook handler accepts a signed event and reads the decision', async () => {
  const output = await readme.whileServing('Receive webhooks', async (port) => {
    const id = await readme.aSession(`http://127.0.0.1:${port}/webhooks`)
    await emulator.sessions.complete(id, 'APPROVED')
  })
  expect(output).toBe('user-42 APPROVED 3\n')
})

it('the sign-in app signs a person in', async () => {
  await readme.whileServing('Sign people in', async (port) => {
    const login = await fetch(`http://127.0.0.1:${port}/login`, { redirect: 'manual' })
    const callback = emulator.signIn.approve(String(login.headers.get('location')))
    const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string
    const home = await fetch(callback, { headers: { cookie } })
    expect(await home.text()).toMatch(/^hello \w+$/)
  })
})

it('the roster code adds, resolves and removes members', async () => {
  expect(await readme.run('Manage the roster')).toBe('2 added, 0 skipped\n0 seats\n')
})

it('the document check reads an image file', async () => {
  const image = new Uint8Array([0xff, 0xd8, 0xff, 0xe0])
  await writeFile(join(readme.installed.project, 'passport.jpg'), image)
  expect(await readme.run('Check a document')).toMatch(/^[A-Z]+\n$/)
})

it('the error handling recognizes a decided session', async () => {
  const id = await readme.aSession()
  await emulator.sessions.complete(id, 'DECLINED')
  const { approve } = await readme.load<{ approve(id: string): Promise<void> }>('Errors')
  const print = vi.spyOn(console, 'log').mockReturnValue()

  await approve(id)

  expect(print.mock.calls).toEqual([['already decided: DECLINED']])
})

it('a retry with the key of an unknown outcome is charged once', async () => {
  const before = emulator.ledger.length
  emulator.faults.add({ match: 'checks.age', reset: true, when: 'after', times: 1 })
  expect(await readme.run('Retries and money')).toBe('passed\n')
  expect(emulator.ledger.length - before).toBe(1)
})

it('the emulator works in the process of a test', async () => {
  expect(await readme.run('Test your own app')).toBe('APPROVED\ncharged 1 time\n')
})

import { readFile } from 'node:fs/promises'
import { expect, it, vi } from 'vitest'
import { VerificationClient } from '../src/index.ts'
import { documentedCode } from './support/documented-code.ts'

const readme = documentedCode('README.md')
const { emulator } = readme

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

it('the webhook handler accepts a signed event and reads the decision', async () => {
  const output = await readme.whileServing('Receive webhooks', async (port) => {
    const id = await readme.aSession(`http://127.0.0.1:${port}/webhooks`)
    await emulator.sessions.complete(id, 'APPROVED')
  })
  expect(output).toBe('user-42 APPROVED 3\n')
})

it('the emulator works in the process of a test', async () => {
  expect(await readme.run('Test your app')).toBe('APPROVED\ncharged 1 time\n')
})

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'
import { installPackage } from '../support/installed-package.ts'
import { loopbackServer } from '../support/loopback-server.ts'
import { describeWith, requireBinary } from '../support/programs.ts'
import { typeCheck } from '../support/type-check.ts'

/** Installs the package in a project with another version of MSW. */
async function installedWith(msw: string) {
  const folder = fileURLToPath(new URL(msw, import.meta.url))
  const installed = await installPackage({ msw: folder })
  onTestFinished(() => installed.remove())
  return installed
}

const guide = documentedCode('docs/guides/testing.md', { runsAllBlocks: false })

const versions = ['../node_modules/msw-2.0', '../node_modules/msw-3']

describeWith('node-22', 'that mswHandlers works with the oldest MSW 2 and with MSW 3', () => {
  it.each(versions)(
    'an app reaches the emulator through %s',
    async (msw) => {
      const installed = await installedWith(msw)
      const program = await readFile(new URL('msw.mjs', import.meta.url), 'utf8')

      const output = await installed.run('msw.mjs', program, {}, requireBinary('node-22'))

      expect(JSON.parse(output)).toEqual({
        node: expect.stringMatching(/^v22\./),
        // `test/msw` tests these rules in detail with the version of MSW that this repository installs.
        session: {
          address: 'https://id.example.test/identity/s/…',
          page: [200, '1'],
          redirect: [303, 'https://app.example.test/return', ''],
          decision: 'APPROVED',
        },
        roster: ['https://console.example.test/activate/…'],
        signIn: 'https://id.example.test/identity',
        upload: { sessions: 1, charges: 1 },
        lostResponse: { status: 'passed', statuses: [null, 200], charges: 1 },
        reset: 'TypeError',
        abort: { error: 'AbortedError: no longer needed', statuses: [null], charges: 0 },
        strays: {
          reported: ['https://id.example.test/identity/health', 'https://id.example.test/identity/api/sdk/members'],
          requests: 0,
        },
        printed: [],
      })
    },
    60_000,
  )

  it.each(versions)(
    'the declarations are compatible with those of %s, in ES modules and in CommonJS',
    async (msw) => {
      const installed = await installedWith(msw)
      const consumer = `
        import { createEmulator, type Emulator } from 'identity-service-sdk/emulator'
        import { mswHandlers } from 'identity-service-sdk/msw'
        import { setupServer } from 'msw/node'
        const emulator = createEmulator()
        const server = setupServer(...mswHandlers(emulator, { baseUrl: 'https://id.example.test' }))
        const orgBaseUrl = new URL('https://console.example.test')
        server.use(...mswHandlers(emulator, { baseUrl: 'https://id.example.test', orgBaseUrl }))
        const wrapper: Pick<Emulator, 'at'> = { at: (url) => (input, init) => emulator.at(url)(input, init) }
        server.use(...mswHandlers(wrapper, { baseUrl: orgBaseUrl, orgBaseUrl: undefined }))
        // @ts-expect-error: a function has no base URL
        mswHandlers(emulator.fetch, { baseUrl: orgBaseUrl })
        // @ts-expect-error: baseUrl is required
        mswHandlers(emulator, {})`
      const files = { 'consumer.mts': consumer, 'consumer.cts': consumer }

      expect(await typeCheck(installed.project, files)).toBe('')
    },
    120_000,
  )

  it('the sample of the guide compiles with MSW 3, and lets no other request reach the network', async () => {
    const installed = await installedWith('../node_modules/msw-3')
    const other = await loopbackServer()
    const name = 'Test with MSW'
    const stray = `await assert.rejects(fetch('${other.url}'))\nserver.close()`
    const program = (await guide.script(name)).replace('server.close()', stray)

    expect(await typeCheck(installed.project, { 'sample.mts': guide.code(name) })).toBe('')
    await installed.run('sample.mjs', program, {}, requireBinary('node-22'))
    expect(other.requests).toEqual([])
  }, 60_000)
})

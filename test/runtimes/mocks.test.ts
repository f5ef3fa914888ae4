import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { installPackage } from '../support/installed-package.ts'
import { describeWith, requireBinary } from '../support/programs.ts'

const folderOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Removes every sign of a test runner. */
const outsideOfTests = { NODE_ENV: '', VITEST: '', JEST_WORKER_ID: '', NODE_TEST_CONTEXT: '' }

const advice = "set SVC_TRANSPORT=fetch. For a MockAgent of undici, pass dispatcher: 'global'."

describeWith(['node-22', 'node-26'], 'that a client says how mocks apply to it, and that they do', () => {
  it.each([
    ['MSW 2.0', 'msw/node', '../node_modules/msw-2.0', 'advised'],
    ['MSW 2', 'msw/node', '../../node_modules/msw', 'advised'],
    ['MSW 3', 'msw/node', '../node_modules/msw-3', 'advised'],
    ['nock 14', 'nock', '../node_modules/nock-14', 'advised'],
    // It applies to sockets too.
    ['nock 15', 'nock', '../node_modules/nock-15', 'used'],
    ['a MockAgent, in a test', 'undici', '../../node_modules/undici', 'advised'],
  ])('%s', async (_, library, folder, expected) => {
    const name = library.split('/')[0] as string
    const installed = await installPackage({ [name]: folderOf(folder) })
    onTestFinished(() => installed.remove())
    const program = await readFile(new URL('mocks.mjs', import.meta.url), 'utf8')

    for (const node of ['node-22', 'node-26'] as const) {
      const env = { ...outsideOfTests, NODE_ENV: library === 'undici' ? 'test' : '', LIBRARY: library }
      const { unset, advised, unknownHost } = JSON.parse(
        await installed.run('mocks.mjs', program, env, requireBinary(node)),
      )

      if (expected === 'used') expect(unset).toMatchObject({ code: 'mocked' })
      else expect(unset).toEqual({ code: 'connection_failed', message: expect.stringContaining(advice) })
      expect(advised).toMatchObject({ code: 'mocked' })
      expect(unknownHost).toEqual({ code: 'connection_failed', mayHaveArrived: false })
    }
  })
})

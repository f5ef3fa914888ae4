import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { patient } from '../../support/patience.ts'
import { runCli, startCli, temporaryFolder } from '../terminal.ts'

const node = process.execPath
const env = { PATH: process.env.PATH }

const dev = (command: readonly string[], flags: readonly string[] = []) => [
  'dev',
  '--port',
  '0',
  ...flags,
  '--',
  ...command,
]

it('sets the settings for the command, passes its arguments verbatim, and prints nothing to stdout', async () => {
  const file = join(await temporaryFolder(), 'written')
  const script = `const { SVC_BASE_URL, SVC_API_KEY, OWN } = process.env
    fetch(SVC_BASE_URL + '/_emulator/health').then(async (response) => {
      require('fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify([await response.json(), SVC_API_KEY, OWN, process.argv.slice(1)]))
    })`
  const args = ['--', '--json', '$HOME', 'a b', '*']

  const { status, stdout, stderr } = await runCli(dev([node, '-e', script, ...args]), {
    env: { ...env, OWN: 'kept', SVC_API_KEY: 'replaced' },
  })

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([
    expect.objectContaining({ status: 'ok' }),
    'emulator_api_key',
    'kept',
    args.slice(1),
  ])
  expect([status, stdout]).toEqual([0, ''])
  expect(stderr).toMatch(
    /^\[nothing verified\] emulator listening on (http:\/\/127\.0\.0\.1:\d+), console at \1\/_emulator\n$/,
  )
})

it.each([
  [3, [node, '-e', 'process.exit(3)']],
  [128 + 9, [node, '-e', 'process.kill(process.pid, "SIGKILL")']],
  [127, ['no-such-command-anywhere']],
  [126, ['/']],
] as const)('ends with status %i of %j', async (status, command) => {
  expect((await runCli(dev(command), { env })).status).toBe(status)
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('passes %s on to the command', async (signal, status) => {
  const file = join(await temporaryFolder(), 'written')
  const script = `require('fs').writeFileSync(${JSON.stringify(file)}, ''); setInterval(() => {}, 1000)`
  const running = startCli(dev([node, '-e', script]), { env })
  await vi.waitFor(() => readFile(file), patient)

  running.interrupt(signal)

  expect(await running.status).toBe(status)
  expect(running.interruptListeners).toBe(0)
})

it('does not pass on a Ctrl-C of a terminal, which the terminal sends to the command itself', async () => {
  const folder = await temporaryFolder()
  const [file, last] = [join(folder, 'written'), join(folder, 'last')]
  const ends = `setInterval(() => require('fs').existsSync(${JSON.stringify(last)}) && process.exit(7), 10)`
  const script = `require('fs').writeFileSync(${JSON.stringify(file)}, ''); ${ends}`
  const running = startCli(dev([node, '-e', script]), { env, terminals: ['stdin'] })
  await vi.waitFor(() => readFile(file), patient)

  running.interrupt('SIGINT')
  await writeFile(last, '')

  expect(await running.status).toBe(7)
})

it('stops the emulator afterwards and writes the state', async () => {
  const folder = await temporaryFolder()
  const [state, url] = [join(folder, 'state.json'), join(folder, 'url')]
  const script = `fetch(process.env.SVC_BASE_URL + '/api/v2/session', { method: 'POST', headers: { 'x-api-key': process.env.SVC_API_KEY } })
    .then(() => require('fs').writeFileSync(${JSON.stringify(url)}, process.env.SVC_BASE_URL))`

  const { status } = await runCli(dev([node, '-e', script], ['--state', state]), { env })

  expect(status).toBe(0)
  await expect(fetch(await readFile(url, 'utf8'))).rejects.toThrow(TypeError)
  expect(JSON.parse(await readFile(state, 'utf8')).state.requestLog).toHaveLength(1)
})

import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { patient } from '../../support/patience.ts'
import { runCli, temporaryFolder } from '../terminal.ts'
import { startJson } from './starting.ts'

const session = { workflow_id: 'wf_identity', vendor_data: 'user-42' }
const sessions = '/api/v2/session'

async function stateFile() {
  const folder = await temporaryFolder()
  return { folder, file: join(folder, 'state.json') }
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '--state keeps the state between runs that end with %s',
  async (signal) => {
    const { file, folder } = await stateFile()
    const first = await startJson(`--state ${file}`)
    const { data: created } = await first.call('POST', sessions, session)
    expect(await first.stop(signal)).toBe(0)

    const second = await startJson(`--state ${file}`)
    const { data: found } = await second.call('GET', `${sessions}/${created.session_id}`)
    await second.stop()

    expect(found).toMatchObject({ session_id: created.session_id, vendor_data: 'user-42' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['state.json'])
  },
)

it('the state is written at least every 5 seconds, and only if it changed', async () => {
  const { file } = await stateFile()
  const { call, running, stop } = await startJson(`--state ${file}`)
  const { ino: first } = await stat(file)
  running.tick(5000)
  await call('POST', sessions, session)
  running.tick(5000)
  await vi.waitFor(async () => expect((await stat(file)).ino).not.toBe(first), patient)
  const { ino: second } = await stat(file)

  running.tick(5000)
  await stop()

  expect((await stat(file)).ino).toBe(second)
  expect(await readFile(file, 'utf8')).toContain('user-42')
})

it.each([
  ['{"version":1}', 'the snapshot has version 1, and this package reads version 3'],
  ['{"a":1}', 'must be what emulator.snapshot() returned'],
  ['SVC_API_KEY=1\n', 'it is not JSON'],
  ['null', 'must be what emulator.snapshot() returned'],
])('a file with %j is rejected, and left unchanged', async (text, reason) => {
  const { file } = await stateFile()
  await writeFile(file, text)

  const { status, stderr } = await runCli(`emulator --port 0 --state ${file}`)

  expect([status, stderr]).toEqual([2, expect.stringContaining(reason)])
  expect(stderr).toContain(`--state: ${file}`)
  expect(await readFile(file, 'utf8')).toBe(text)
})

it('an empty file is a state that was not written yet', async () => {
  const { file } = await stateFile()
  await writeFile(file, '')
  const { stop } = await startJson(`--state ${file}`)

  expect(await stop()).toBe(0)
  expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('version')
})

it('a state that cannot be written is reported once while the emulator runs, and at the end', async () => {
  const { file, folder } = await stateFile()
  const { call, running, stop } = await startJson(`--state ${file}`)
  await call('POST', sessions, session)
  await chmod(folder, 0o500)
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chmod(folder, 0o700)
  if (isRoot) await stop()
  if (isRoot) return

  running.tick(5000)
  await vi.waitFor(() => expect(running.stderr).toContain('The state was not saved'), patient)
  running.tick(5000)
  const status = await stop()
  await chmod(folder, 0o700)

  expect(status).toBe(2)
  expect(running.stderr.match(/The state was not saved/g)).toHaveLength(1)
})

it('a folder that does not exist is reported before the emulator listens', async () => {
  const { folder } = await stateFile()
  const { status, stdout, stderr } = await runCli(`emulator --port 0 --state ${folder}/missing/state.json`)

  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain('--state: ')
  expect(stderr).toContain('the folder')
})

it('a link to a state file stays a link', async () => {
  const { file, folder } = await stateFile()
  const link = join(folder, 'link.json')
  await writeFile(file, '')
  await symlink(file, link)
  const { stop } = await startJson(`--state ${link}`)
  await stop()

  expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('version')
  expect(await readdir(folder)).toEqual(['link.json', 'state.json'])
})

it('faults and outcomes of the options are not added again to those of a restored state', async () => {
  const { file } = await stateFile()
  const flags = `--state ${file} --fault checks.age:503:times=2 --webhook-fault lost --check liveness:failed`
  for (const run of [1, 2]) {
    const { control, stop } = await startJson(flags)
    expect(await control('/faults'), `run ${run}`).toMatchObject([{ match: 'checks.age', left: '2' }])
    await stop()
  }
  const { control, stop } = await startJson(`--state ${file}`)
  expect(await control('/faults')).toHaveLength(1)
  await stop()
})

it('two emulators with one state file do not overwrite the state of each other', async () => {
  const { file } = await stateFile()
  const [first, second] = [await startJson(`--state ${file}`), await startJson(`--state ${file}`)]
  await second.call('POST', sessions, session)
  await first.call('POST', sessions, { ...session, vendor_data: 'user-43' })

  expect([await second.stop(), await first.stop()]).toEqual([0, 2])

  expect(first.running.stderr).toContain(`another process has written ${file}. Its state was kept.`)
  const kept = await readFile(file, 'utf8')
  expect([kept.includes('user-42'), kept.includes('user-43')]).toEqual([true, false])
})

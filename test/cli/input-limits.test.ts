import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { emulated, runCli, temporaryFolder } from './terminal.ts'

/** A file of zeros that takes no space on the disk. */
async function fileOf(bytes: number): Promise<string> {
  const path = join(await temporaryFolder(), 'file')
  const file = await open(path, 'w', 0o600)
  await file.truncate(bytes)
  await file.close()
  return path
}

const inputs: readonly [option: string, maxMiB: number, command: (path: string) => string][] = [
  ['--config', 16, (path) => `emulator --port 0 --config ${path}`],
  ['--state', 256, (path) => `emulator --port 0 --state ${path}`],
  ['--write-env', 1, (path) => `emulator --port 0 --write-env ${path}`],
  ['--env-from', 1, (path) => `doctor --env-from ${path}`],
  ['--header-file', 1, (path) => `webhook verify --body ${path} --header-file ${path}`],
  ['--body', 8, (path) => `webhook verify --body ${path} --headers x:y`],
  ['a file of members', 64, (path) => `members sync ${path}`],
]

it.each(inputs)('%s reads up to %i MiB', async (option, maxMiB, command) => {
  const path = await fileOf(maxMiB * 1024 * 1024 + 1)
  const { env, fetch } = emulated()

  const { status, stderr } = await runCli(command(path), { env, fetch })

  expect(status).toBe(2)
  expect(stderr).toContain(`${path} is larger than ${maxMiB} MiB`)
  if (option.startsWith('--')) expect(stderr).toContain(option)
})

it('a device without an end is rejected, and so is an endless stdin', async () => {
  const device = await runCli('emulator --port 0 --config /dev/zero')
  const stdin = await runCli('doctor --env-from -', { stdin: Buffer.alloc(1024 * 1024 + 1) })

  expect([device.status, device.stderr]).toEqual([2, expect.stringContaining('is larger than 16 MiB')])
  expect([stdin.status, stdin.stderr]).toEqual([2, expect.stringContaining('--env-from: stdin is larger than')])
})

it('members sync reads up to a million rows', async () => {
  const path = join(await temporaryFolder(), 'members.csv')
  const { env, fetch } = emulated()
  await writeFile(path, `email\n${'a@b\n'.repeat(1_000_001)}`)

  const { status, stderr } = await runCli(`members sync ${path}`, { env, fetch })

  expect([status, stderr]).toEqual([2, expect.stringContaining('more than 1000000 rows')])
})

it('a state that consists of millions of empty objects is rejected before it fills the memory', async () => {
  const path = join(await temporaryFolder(), 'state.json')
  await writeFile(path, `[${'{},'.repeat(2_000_000)}{}]`, { mode: 0o600 })
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())

  const { status, stderr } = await runCli(`emulator --port 0 --state ${path}`)

  expect([status, stderr]).toEqual([2, expect.stringContaining('it is not JSON')])
  expect(parse.mock.calls.filter(([text]) => text.length > 1_000_000)).toEqual([])
})

it('webhook verify reads a header that is repeated 100,000 times within 3 seconds of CPU time', async () => {
  const path = join(await temporaryFolder(), 'headers.txt')
  await writeFile(path, 'a: b\n'.repeat(100_000))
  const { env, fetch } = emulated()
  const before = process.cpuUsage()

  const { stdout } = await runCli(`webhook verify --body - --header-file ${path}`, {
    env,
    fetch,
    stdin: Buffer.from('{}'),
  })

  expect(stdout).toContain('missing_header')
  // CPU time of this process, because the elapsed time depends on the load of the machine.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000)
})

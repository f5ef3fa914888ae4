import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emulated, runCli, temporaryFolder } from './terminal.ts'

/** A file of zeros that takes no room on the disk. */
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

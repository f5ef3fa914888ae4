import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type CliOptions, emulated, runCli, temporaryFolder } from './terminal.ts'

/** A roster that can be exported, a file of people to add, and a folder. */
async function prepare() {
  const { emulator, env, fetch } = emulated({ members: [{ email: 'grace@example.com' }] })
  const folder = await temporaryFolder()
  const file = join(folder, 'people.csv')
  await writeFile(file, 'email\nada@example.com\n')
  const options: CliOptions = { env, fetch }
  return { emulator, folder, file, options }
}

function makePipe(path: string): string {
  execFileSync('mkfifo', [path])
  return path
}

/** Reads a pipe as another user would who has made it. Nothing that is written to it waits. */
function readerOf(pipe: string) {
  const fd = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(fd))
  return () => {
    try {
      return readSync(fd, Buffer.alloc(4096))
    } catch {
      // The pipe is open for writing, and empty.
      return 0
    }
  }
}

/** Commands that write a file with personal data, and the path of that file. */
const writers: [what: string, targetOf: (folder: string) => string, command: (target: string) => string][] = [
  ['an export', inFolder('out'), (target) => `members export --force --out ${target}`],
  ['a plan', inFolder('out'), (target) => `members sync FILE --force --out ${target}`],
  ['a report', inFolder('out'), (target) => `members sync FILE --apply --force --out ${target}`],
]

function inFolder(name: string) {
  return (folder: string) => join(folder, name)
}

it.each(writers)('%s is not written into a pipe that someone reads', async (_, targetOf, command) => {
  const { emulator, folder, file, options } = await prepare()
  const pipe = makePipe(targetOf(folder))
  const received = readerOf(pipe)

  const { status, stderr } = await runCli(command(pipe).replace('FILE', file), options)

  expect([status, received()]).toEqual([2, 0])
  expect(stderr).toContain(`${pipe} is not a regular file`)
  expect(emulator.requests.filter(({ operation }) => operation === 'members.add')).toEqual([])
})

it.each(writers)('%s does not wait for the other end of a pipe', async (_, targetOf, command) => {
  const { folder, file, options } = await prepare()
  const pipe = makePipe(targetOf(folder))

  const { status, stderr } = await runCli(command(pipe).replace('FILE', file), options)

  expect([status, stderr]).toEqual([2, expect.stringContaining(`${pipe} is not a regular file`)])
})

it.each(writers)('%s is not written into a device', async (_, targetOf, command) => {
  const { folder, file, options } = await prepare()
  const link = targetOf(folder)
  await symlink('/dev/full', link)

  const { status, stderr } = await runCli(command(link).replace('FILE', file), options)

  expect([status, stderr]).toEqual([2, expect.stringContaining(`${link} is not a regular file`)])
})

import { execFileSync } from 'node:child_process'
import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { withSettings } from '../../../src/cli/emulator/env-file.ts'
import { environmentFormats } from '../../../src/emulator/controls/environment.ts'
import { patient } from '../../support/patience.ts'
import { runCli, startCli, temporaryFolder } from '../terminal.ts'
import { startJson } from './starting.ts'

const settings = { SVC_BASE_URL: 'http://127.0.0.1:4010', SVC_API_KEY: 'key' }

it.each([
  ['an empty file', '', 'SVC_BASE_URL=http://127.0.0.1:4010\nSVC_API_KEY=key\n'],
  [
    'its own lines',
    'SVC_API_KEY=old\nA=1\nSVC_BASE_URL=x\n',
    'SVC_API_KEY=key\nA=1\nSVC_BASE_URL=http://127.0.0.1:4010\n',
  ],
  [
    'a line twice',
    'SVC_API_KEY=1\nSVC_API_KEY=2\nSVC_BASE_URL=\n',
    'SVC_API_KEY=key\nSVC_API_KEY=key\nSVC_BASE_URL=http://127.0.0.1:4010\n',
  ],
  [
    'other settings and comments',
    '# SVC_API_KEY=no\nSVC_COOKIE_SECRET=s\n\nB="x"\n',
    '# SVC_API_KEY=no\nSVC_COOKIE_SECRET=s\n\nB="x"\nSVC_BASE_URL=http://127.0.0.1:4010\nSVC_API_KEY=key\n',
  ],
  [
    'quotes, export, spaces and a comment',
    'export SVC_API_KEY="old"  # mine\n SVC_BASE_URL = \'x\'\n',
    'export SVC_API_KEY="key"  # mine\n SVC_BASE_URL = \'http://127.0.0.1:4010\'\n',
  ],
  ['CRLF', 'A=1\r\nSVC_API_KEY=old\r\n', 'A=1\r\nSVC_API_KEY=key\r\nSVC_BASE_URL=http://127.0.0.1:4010\r\n'],
  ['no final newline', 'SVC_API_KEY=old', 'SVC_API_KEY=key\nSVC_BASE_URL=http://127.0.0.1:4010'],
  [
    'a byte order mark',
    '\uFEFFSVC_API_KEY=old\nSVC_BASE_URL=x\n',
    '\uFEFFSVC_API_KEY=key\nSVC_BASE_URL=http://127.0.0.1:4010\n',
  ],
  [
    'a value of several lines',
    'K="-----\nSVC_API_KEY=old\n-----"\nSVC_API_KEY=b\nSVC_BASE_URL=x\n',
    'K="-----\nSVC_API_KEY=old\n-----"\nSVC_API_KEY=key\nSVC_BASE_URL=http://127.0.0.1:4010\n',
  ],
  [
    'a number sign in a value',
    'SVC_API_KEY=abc#def\nSVC_BASE_URL=x # why\n',
    'SVC_API_KEY=key\nSVC_BASE_URL=http://127.0.0.1:4010 # why\n',
  ],
  [
    'an escaped quote',
    'SVC_API_KEY="a\\"b"\nSVC_BASE_URL=x\n',
    'SVC_API_KEY="key"\nSVC_BASE_URL=http://127.0.0.1:4010\n',
  ],
  [
    'a quote without an end',
    'Q="unbalanced\nSVC_API_KEY="y"\nSVC_BASE_URL=x\n',
    'Q="unbalanced\nSVC_API_KEY="key"\nSVC_BASE_URL=http://127.0.0.1:4010\n',
  ],
])('--write-env replaces the settings in a file and keeps the rest: %s', (_, text, expected) => {
  expect(withSettings(text, settings)).toBe(expected)
  expect(withSettings(expected, settings)).toBe(expected)
})

it('what is written is what Node reads, for any values and any other lines', () => {
  const value = fc
    .string({ minLength: 1, unit: 'grapheme-ascii' })
    .filter((text) => !/["'`\\]/.test(text) && text.trim() === text)
  const line = fc.constantFrom(
    'A=1',
    '# comment',
    '',
    'SVC_API_KEY=old',
    "B='x y'",
    'export SVC_API_KEY="a b" # c',
    'SVC_OTHER=1',
  )

  fc.assert(
    fc.property(value, fc.array(line), fc.constantFrom('\n', '\r\n'), (SVC_API_KEY, lines, end) => {
      const text = lines.join(end)

      const read = parseEnv(withSettings(text, { SVC_API_KEY }))

      expect(read.SVC_API_KEY).toBe(SVC_API_KEY)
      expect({ ...read, SVC_API_KEY }).toEqual({ ...parseEnv(text), SVC_API_KEY })
    }),
  )
})

it('a value with quotes is quoted for each format, and one that a .env file cannot hold is rejected', () => {
  expect(environmentFormats.shell('A', "it's")).toBe("export A='it'\\''s'")
  expect(environmentFormats.powershell('A', "it's")).toBe("$env:A = 'it''s'")
  expect(environmentFormats.dotenv('A', "it's $x")).toBe('A="it\'s $x"')
  for (const value of ['\'"`', 'a\nb', 'a\0b'])
    expect(environmentFormats.dotenv('A', value)).toBe('# A cannot be written to a .env file')
})

it('the emulator prints which file has its settings', async () => {
  const file = join(await temporaryFolder(), '.env')
  const running = startCli(`emulator --port 0 --write-env ${file}`)
  await vi.waitFor(() => expect(running.stderr).toContain('Ctrl-C'), patient)
  running.interrupt()
  await running.status

  expect(running.stderr).toContain(`These settings are in ${file}. Start your app with them`)
  expect(running.stderr).not.toContain('Set these variables')
})

it('a new file can be read only by its owner, and an existing one keeps its mode', async () => {
  const folder = await temporaryFolder()
  const [made, existing] = [join(folder, '.env.local'), join(folder, '.env')]
  await writeFile(existing, 'A=1\n')
  await chmod(existing, 0o644)
  for (const file of [made, existing]) await (await startJson(`--write-env ${file}`)).stop()

  expect((await stat(made)).mode & 0o777).toBe(0o600)
  expect((await stat(existing)).mode & 0o777).toBe(0o644)
  expect(parseEnv(await readFile(existing, 'utf8'))).toMatchObject({
    A: '1',
    SVC_API_KEY: 'emulator_api_key',
  })
})

it('a link to a file stays a link, and a folder is rejected', async () => {
  const folder = await temporaryFolder()
  const [file, link] = [join(folder, 'shared.env'), join(folder, '.env')]
  await writeFile(file, 'A=1\n')
  await symlink(file, link)
  await (await startJson(`--write-env ${link}`)).stop()

  expect(await readFile(file, 'utf8')).toContain('SVC_API_KEY=')
  const { status, stderr } = await runCli(`emulator --port 0 --write-env ${folder}`)
  expect([status, stderr]).toEqual([2, expect.stringContaining('--write-env')])
})

it('a pipe without another end is rejected at once', async () => {
  const pipe = join(await temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])

  const { status, stderr } = await runCli(`emulator --port 0 --write-env ${pipe}`)

  expect([status, stderr]).toEqual([2, expect.stringContaining(`--write-env: ${pipe} is not a regular file`)])
})

// A name: cspell:ignore Héloïse héloï

import { existsSync } from 'node:fs'
import { chmod, chown, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { type CliOptions, emulated, runCli, temporaryFolder } from './terminal.ts'

/** A CSV file, and an emulated organization whose members it can add. */
async function prepare(csv: string | Uint8Array) {
  const { emulator, env, fetch } = emulated()
  const folder = await temporaryFolder()
  const file = join(folder, 'people.csv')
  await writeFile(file, csv)
  const options: CliOptions = { env, fetch }
  const added = () =>
    emulator.requests
      .filter(({ operation }) => operation === 'members.add')
      .map(({ body = '{}' }) => (JSON.parse(body) as { members: { email: string }[] }).members)
  const sync = () => runCli(`members sync ${file} --apply`, options)
  return { emulator, file, folder, options, added, sync }
}

it('adds the people of a file with BOM, CRLF, quotes and empty lines', async () => {
  const csv = [
    '\ufeffEmail,First Name,last_name,role,team',
    'ada@example.com,"Ada, ""the""",Byron,developer,x',
    '',
    ' grace@example.com ,Grace B.,,,y',
    'héloïse@example.com,Héloïse,,member,z',
    '',
  ].join('\r\n')
  const { added, sync } = await prepare(csv)

  const { status, stderr } = await sync()

  expect([status, stderr]).toEqual([0, 'Ignored columns: team\n3 done, 0 skipped, 0 kept, 0 failed, 0 pending\n'])
  expect(added()).toEqual([
    [
      { email: 'ada@example.com', first_name: 'Ada, "the"', last_name: 'Byron', role: 'developer' },
      { email: 'grace@example.com', first_name: 'Grace B.' },
      { email: 'héloïse@example.com', first_name: 'Héloïse', role: 'member' },
    ],
  ])
})

const invalidRows = [
  'email,first_name,role',
  'ada@example.com,Ada,member',
  'no email,Bo,member',
  ',Cy,member',
  'dee@example.com,Dee,king',
  'eve@example.com,Eve',
  'ADA@example.com,Again,member',
  'fay@example.com,"F\u001b[2Jay",member',
  `${'x'.repeat(250)}@example.com,Long,member`,
  'a\u200bda@example.com,Ada,',
  'cy@example.com\u202e,Cy,',
  ' e\u0301va@example.com\u00a0,Eva,',
  '\u00c9VA@example.com,Eva,',
]

it('lists every invalid row by its line, and changes nothing', async () => {
  const { added, sync } = await prepare(invalidRows.join('\n'))

  const { status, stdout, stderr } = await sync()

  expect([status, stdout, added()]).toEqual([2, '', []])
  expect(stderr.split('\n')).toEqual([
    'Line 3: email is not an email address.',
    'Line 4: email is empty.',
    'Line 5: role must be one of owner, admin, developer, member.',
    'Line 6: the row has 2 cells, but the first line has 3.',
    'Line 7: the row has the same email as line 2.',
    'Line 8: first_name contains control characters.',
    'Line 9: email is not an email address.',
    'Line 10: email contains the invisible or control character U+200B.',
    'Line 11: email contains the invisible or control character U+202E.',
    'Line 13: the row has the same email as line 12.',
    expect.stringMatching(/^error: Invalid rows: 10\. Nothing was changed, because .*Fix the file/),
    '',
  ])
})

it('lists 20 invalid rows, and the number of the others', async () => {
  const { sync } = await prepare(`email\n${'nobody\n'.repeat(25)}`)

  const { stderr } = await sync()

  expect(stderr.match(/^Line \d+: email is not an email address\.$/gm)).toHaveLength(20)
  expect(stderr).toContain('\nMore invalid rows: 5.\nerror: Invalid rows: 25.')
})

it('with --json, the invalid rows are a part of the error', async () => {
  const { file, options } = await prepare('email\nnobody\n')
  const { stdout, stderr } = await runCli(`members sync ${file} --json`, options)
  expect([stdout, JSON.parse(stderr).error]).toEqual([
    '',
    {
      code: 'csv',
      message: expect.stringMatching(/^Line 2: email is not an email address\. Invalid rows: 1\./),
    },
  ])
})

it.each([
  ['an empty file', '', 'empty'],
  ['no rows', 'email\n', 'no rows'],
  ['no email column', 'name\nAda\n', 'email'],
  ['a duplicate column', 'email,E-mail,email\na@b.example,,\n', 'twice'],
  ['a quote that is not closed', `email\n"ada@example.com\n${'x\n'.repeat(10)}`, 'quotes'],
  ['a quote in the middle of a cell', 'email\nad"a@example.com\n', 'line 2'],
  ['UTF-16', Buffer.from('\ufeffemail\nada@example.com\n', 'utf16le'), 'UTF-8'],
  ['Latin-1', Buffer.from('email,first_name\nada@example.com,Ren\u00e9\n', 'latin1'), 'UTF-8'],
  ['NULs', 'email\nada@example.com\0\n', 'UTF-8'],
])('rejects a file with %s and sends nothing', async (_, csv, message) => {
  const { emulator, sync } = await prepare(csv)
  const { status, stdout, stderr } = await sync()
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  expect(emulator.requests).toEqual([])
})

it.each([';', '\t'])('reads files with the delimiter %j', async (delimiter) => {
  const { added, sync } = await prepare(`email${delimiter}last_name\nada@example.com${delimiter}"Byron, Lady"\n`)
  await sync()
  expect(added()).toEqual([[{ email: 'ada@example.com', last_name: 'Byron, Lady' }]])
})

it('reads what a spreadsheet writes for cleared cells', async () => {
  const { added, sync } = await prepare(
    ['email,first_name,,', 'ada@example.com,Ada,,', ',,,', ' ,"",,', 'bo@example.com,Bo,,,,', ','].join('\r\n'),
  )

  await sync()

  expect(added().flat()).toEqual([
    { email: 'ada@example.com', first_name: 'Ada' },
    { email: 'bo@example.com', first_name: 'Bo' },
  ])
})

it('a row with more or fewer cells than the first line is invalid, also next to cleared cells', async () => {
  const { sync } = await prepare('email,first_name,,\n,,,\ncy@example.com,Cy,,,x\ndee@example.com,Dee\n')
  const { stderr } = await sync()
  expect(stderr).toMatch(
    /^Line 3: the row has 5 cells, but the first line has 4\.\nLine 4: the row has 2 cells, but the first line has 4\.\n/,
  )
})

it.each(['sep=;', 'SEP=;', '"sep=;"'])('reads the delimiter from the first line: %s', async (hint) => {
  const { added, sync } = await prepare(`\ufeff${hint}\r\nemail;last_name\r\nada@example.com;"Byron, Lady; x"\r\n`)
  await sync()
  expect(added()).toEqual([[{ email: 'ada@example.com', last_name: 'Byron, Lady; x' }]])
})

it('counts the lines of a file whose first line is a delimiter', async () => {
  const { sync } = await prepare('sep=;\r\nemail;last_name\r\nada@example.com;\r\nbo\r\n')
  expect((await sync()).stderr).toMatch(/^Line 4: the row has 1 cell,/)
})

it.each([
  ['sync', 'members sync FILE'],
  ['sync --apply', 'members sync FILE --apply'],
  ['export', 'members export'],
])('--out of %s rejects a symbolic link, and leaves its target as it was', async (_, command) => {
  const { file, folder, options, added } = await prepare('email\nada@example.com\n')
  const [target, link] = [join(folder, 'target'), join(folder, 'link')]
  await writeFile(target, '')
  await chmod(target, 0o644)
  await symlink(target, link)

  const { status, stderr } = await runCli(`${command.replace('FILE', file)} --out ${link} --json`, options)

  expect([status, JSON.parse(stderr).error.code, added()]).toEqual([2, 'ELOOP', []])
  expect(stderr).toContain(`${link} is a symbolic link to a file. Pass the path of the file itself.`)
  expect([(await stat(target)).mode & 0o777, await readFile(target, 'utf8')]).toEqual([0o644, ''])
})

it('creates no file through a symbolic link', async () => {
  const { folder, options } = await prepare('')
  await symlink(join(folder, 'target'), join(folder, 'link'))
  const { status } = await runCli(`members export --out ${join(folder, 'link')}`, options)
  expect([status, existsSync(join(folder, 'target'))]).toEqual([2, false])
})

it.skipIf(process.getuid?.() !== 0)('rejects an output file of another user, who could read it', async () => {
  const { folder, options } = await prepare('')
  const out = join(folder, 'out.csv')
  await writeFile(out, '')
  await chown(out, 12_345, 12_345)
  const { status, stderr } = await runCli(`members export --out ${out}`, options)
  expect([status, stderr]).toEqual([2, expect.stringContaining('belongs to another user')])
  expect(await readFile(out, 'utf8')).toBe('')
})

const roster = [
  { email: 'ada@example.com', first_name: '=HYPERLINK("x")', last_name: '@sum' },
  { email: '+bo@example.com', first_name: '-2', last_name: '\tq, "r"' },
]

it('exports the roster as CSV with escaped formulas', async () => {
  const { env, fetch } = emulated({ members: roster })
  const { status, stdout, stderr } = await runCli('members export', { env, fetch })
  expect([status, stderr]).toEqual([0, ''])
  expect(parse(stdout, { columns: true })).toMatchObject([
    {
      email: 'ada@example.com',
      first_name: `'=HYPERLINK("x")`,
      last_name: `'@sum`,
      role: 'member',
      status: 'active',
    },
    { email: "'+bo@example.com", first_name: "'-2", last_name: String.raw`\u0009q, "r"` },
  ])
  expect(stdout.split('\n')[0]).toBe(
    '"member_id","email","first_name","last_name","role","status","svc_id","created_at"',
  )
})

it('exports the roster as JSON with every field of the response', async () => {
  const { env, fetch } = emulated({ members: roster })
  const { stdout } = await runCli('members export --json', { env, fetch })
  expect(JSON.parse(stdout)).toMatchObject([{ id: 1, active: true, ...roster[0] }, roster[1]])
})

it('exports to a file that only its owner can read, and overwrites a file only with --force', async () => {
  const { env, fetch } = emulated({ members: roster })
  const out = join(await temporaryFolder(), 'roster.csv')
  const statuses = []
  for (const flag of ['', '', ' --force'])
    statuses.push((await runCli(`members export --out ${out}${flag}`, { env, fetch })).status)
  expect(statuses).toEqual([0, 2, 0])
  expect(((await stat(out)).mode & 0o777).toString(8)).toBe('600')
  expect(parse(await readFile(out, 'utf8'), { bom: true })).toHaveLength(3)
})

it('names the setting and not the option of a client if the service cannot be reached', async () => {
  const { env } = emulated()
  const { status, stderr } = await runCli('members export', {
    env: { ...env, SVC_ORG_BASE_URL: 'http://127.0.0.1:9' },
  })
  expect(status).toBe(3)
  expect(stderr).toMatch(
    /^error: members\.list: could not connect to http:\/\/127\.0\.0\.1:9 .*Check SVC_ORG_BASE_URL\./,
  )
  expect(stderr).not.toContain('baseUrl')
})

it('prints an error of the service with its code, the request id and the command that explains it', async () => {
  const { env, fetch } = emulated()
  const wrongEnv = { ...env, SVC_CLIENT_SECRET: 'canary-0123456789' }
  const { status, stdout, stderr } = await runCli('members export', { env: wrongEnv, fetch })
  expect([status, stdout]).toEqual([3, ''])
  expect(stderr).toMatch(/^error: members\.list: 401 invalid_client: .*\(request req_\w+\)$/m)
  expect(stderr).toContain('identity-service-sdk explain invalid_client')
  expect(stderr).not.toContain('canary')
})

it.each(['SVC_ORG_BASE_URL', 'SVC_CLIENT_ID', 'SVC_CLIENT_SECRET'])(
  'members export reports that %s is missing',
  async (name) => {
    const { env, fetch } = emulated()
    const { status, stderr } = await runCli('members export', { env: { ...env, [name]: undefined }, fetch })
    expect([status, stderr]).toEqual([2, expect.stringContaining(name)])
  },
)

// A name: cspell:ignore Héloïse héloï

import { existsSync } from 'node:fs'
import { chmod, chown, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { people } from '../org/emulated-org.ts'
import { type CliOptions, emulated, runCli, startCli, temporaryFolder } from './terminal.ts'

/** A CSV file, and an emulated organization into which it can be imported. */
async function prepare(csv: string | Uint8Array, emulatorOptions?: Parameters<typeof emulated>[0]) {
  const { emulator, env, fetch } = emulated(emulatorOptions)
  const folder = await temporaryFolder()
  const file = join(folder, 'people.csv')
  await writeFile(file, csv)
  const options: CliOptions = { env, fetch }
  const added = () =>
    emulator.requests
      .filter(({ operation }) => operation === 'members.add')
      .map(({ body = '{}' }) => (JSON.parse(body) as { members: { email: string }[] }).members)
  return { emulator, file, folder, options, added, journal: `${file}.import` }
}

const many = (count: number) =>
  `email\n${people(count)
    .map(({ email }) => email)
    .join('\n')}\n`

interface Report {
  summary: Record<string, number>
  resume?: string
  rows: {
    line: number
    email: string
    outcome: string
    column?: string
    detail?: string
    activation_link?: string
  }[]
}

async function importJson(args: string, options: CliOptions) {
  const { status, stdout, stderr } = await runCli(`members import ${args} --json`, options)
  return { status, stderr, report: JSON.parse(stdout) as Report }
}

it('imports a file with BOM, CRLF, quotes and empty lines, and reports each row by its line', async () => {
  const csv = [
    '\ufeffEmail,First Name,last_name,role,team',
    'ada@example.com,"Ada, ""the""",Byron,developer,x',
    '',
    ' grace@example.com ,"Grace\r\nB.",,,y',
    'héloïse@example.com,Héloïse,,member,z',
    '',
  ].join('\r\n')
  const { file, options, added, journal } = await prepare(csv.replace('Grace\r\nB.', 'Grace B.'))

  const { status, report, stderr } = await importJson(file, options)

  expect([status, stderr]).toEqual([0, 'Ignored columns: team\n'])
  expect(report.summary).toEqual({ created: 3 })
  expect(report.rows.map(({ line, email }) => [line, email])).toEqual([
    [2, 'ada@example.com'],
    [4, 'grace@example.com'],
    [5, 'héloïse@example.com'],
  ])
  expect(added()).toEqual([
    [
      { email: 'ada@example.com', first_name: 'Ada, "the"', last_name: 'Byron', role: 'developer' },
      { email: 'grace@example.com', first_name: 'Grace B.' },
      { email: 'héloïse@example.com', first_name: 'Héloïse', role: 'member' },
    ],
  ])
  expect(existsSync(journal)).toBe(false)
})

it('reports invalid rows by line and column, does not send them, and adds the others', async () => {
  const csv = [
    'email,first_name,role',
    'ada@example.com,Ada,member',
    'no email,Bo,member',
    ',Cy,member',
    'dee@example.com,Dee,king',
    'eve@example.com,Eve',
    'ADA@example.com,Again,member',
    'fay@example.com,"F\u001b[2Jay",member',
    `${'x'.repeat(250)}@example.com,Long,member`,
    'gus@example.com,Gus,',
  ].join('\n')
  const { file, options, added } = await prepare(csv)

  const { status, report } = await importJson(file, options)

  expect(status).toBe(1)
  expect(report.summary).toEqual({ created: 2, invalid: 6, skipped: 1 })
  expect(report.rows.map(({ line, outcome, column, detail }) => [line, outcome, column, detail])).toEqual([
    [2, 'created', undefined, undefined],
    [3, 'invalid', 'email', 'is not an email address'],
    [4, 'invalid', 'email', 'is empty'],
    [5, 'invalid', 'role', 'must be one of owner, admin, developer, member'],
    [6, 'invalid', undefined, 'has 2 cells, but the first line has 3'],
    [7, 'skipped', undefined, 'same email as line 2'],
    [8, 'invalid', 'first_name', 'contains control characters'],
    [9, 'invalid', 'email', 'is not an email address'],
    [10, 'created', undefined, undefined],
  ])
  expect(
    added()
      .flat()
      .map(({ email }) => email),
  ).toEqual(['ada@example.com', 'gus@example.com'])
})

it('reports emails with invisible characters by line and column, and sends the others trimmed and composed', async () => {
  const csv = [
    'first_name,email',
    'Ada,a\u200bda@example.com',
    'Bo,b\ufeffo@example.com',
    'Cy,cy@example.com\u202e',
    'Dee,"d\u00adee@example.com"',
    'Eva, e\u0301va@example.com\u00a0',
    'Eva,\u00c9VA@example.com',
  ].join('\n')
  const { file, options, added } = await prepare(csv)

  const { status, report } = await importJson(file, options)

  expect(status).toBe(1)
  expect(report.rows.map(({ line, outcome, column, detail }) => [line, outcome, column, detail])).toEqual([
    [2, 'invalid', 'email', 'contains the invisible or control character U+200B'],
    [3, 'invalid', 'email', 'contains the invisible or control character U+FEFF'],
    [4, 'invalid', 'email', 'contains the invisible or control character U+202E'],
    [5, 'invalid', 'email', 'contains the invisible or control character U+00AD'],
    [6, 'created', undefined, undefined],
    [7, 'skipped', undefined, 'same email as line 6'],
  ])
  expect(added()).toEqual([[{ email: '\u00e9va@example.com', first_name: 'Eva' }]])
})

it.each([
  ['an empty file', '', 'empty'],
  ['no email column', 'name\nAda\n', 'email'],
  ['a duplicate column', 'email,E-mail,email\na@b.example,,\n', 'twice'],
  ['a quote that is not closed', `email\n"ada@example.com\n${'x\n'.repeat(10)}`, 'quotes'],
  ['a quote in the middle of a cell', 'email\nad"a@example.com\n', 'line 2'],
  ['UTF-16', Buffer.from('\ufeffemail\nada@example.com\n', 'utf16le'), 'UTF-8'],
  ['Latin-1', Buffer.from('email,first_name\nada@example.com,Ren\u00e9\n', 'latin1'), 'UTF-8'],
  ['NULs', 'email\nada@example.com\0\n', 'UTF-8'],
])('rejects a file with %s and sends nothing', async (_, csv, message) => {
  const { file, options, added, folder } = await prepare(csv)
  const { status, stdout, stderr } = await runCli(`members import ${file}`, options)
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  expect([added(), await readdir(folder)]).toEqual([[], ['people.csv']])
})

it.each([';', '\t'])('reads files with the delimiter %j', async (delimiter) => {
  const csv = `email${delimiter}last_name\nada@example.com${delimiter}"Byron, Lady"\n`
  const { file, options, added } = await prepare(csv)
  await runCli(`members import ${file}`, options)
  expect(added()).toEqual([[{ email: 'ada@example.com', last_name: 'Byron, Lady' }]])
})

it('reads what a spreadsheet writes for cleared cells, and reports each row by its line', async () => {
  const csv = [
    'email,first_name,,',
    'ada@example.com,Ada,,',
    ',,,',
    ' ,"",,',
    'bo@example.com,Bo,,,,',
    'cy@example.com,Cy,,,x',
    'dee@example.com,Dee',
    ',',
  ].join('\r\n')
  const { file, options, added } = await prepare(csv)

  const { report, stderr } = await importJson(file, options)

  expect(stderr).toBe('')
  expect(report.rows.map(({ line, outcome, detail }) => [line, outcome, detail])).toEqual([
    [2, 'created', undefined],
    [5, 'created', undefined],
    [6, 'invalid', 'has 5 cells, but the first line has 4'],
    [7, 'invalid', 'has 2 cells, but the first line has 4'],
  ])
  expect(added().flat()).toEqual([
    { email: 'ada@example.com', first_name: 'Ada' },
    { email: 'bo@example.com', first_name: 'Bo' },
  ])
})

it.each(['sep=;', 'SEP=;', '"sep=;"'])('reads the delimiter from the first line: %s', async (hint) => {
  const { file, options, added } = await prepare(
    `\ufeff${hint}\r\nemail;last_name\r\nada@example.com;"Byron, Lady; x"\r\nbo\r\n`,
  )
  const { report } = await importJson(file, options)
  expect(added()).toEqual([[{ email: 'ada@example.com', last_name: 'Byron, Lady; x' }]])
  expect(report.rows.map(({ line, outcome }) => [line, outcome])).toEqual([
    [3, 'created'],
    [4, 'invalid'],
  ])
})

it('a dry run lists the rows that would not be sent and counts the others, without settings and without a request', async () => {
  const { file, folder, added } = await prepare('email\nada@example.com\nnobody\nada@example.com\n')
  const { status, report } = await importJson(`${file} --dry-run`, {})
  expect([status, report]).toEqual([
    1,
    {
      summary: { valid: 1, invalid: 1, skipped: 1 },
      rows: [
        { line: 3, email: 'nobody', outcome: 'invalid', column: 'email', detail: 'is not an email address' },
        { line: 4, email: 'ada@example.com', outcome: 'skipped', detail: 'same email as line 2' },
      ],
    },
  ])
  expect([added(), await readdir(folder)]).toEqual([[], ['people.csv']])
})

it('reports members who exist already and members who were reactivated', async () => {
  const { file, options } = await prepare('email\nold@example.com\ngone@example.com\n', {
    members: [{ email: 'old@example.com' }, { email: 'gone@example.com', status: 'deactivated' }],
  })
  const { status, report } = await importJson(file, options)
  expect(status).toBe(0)
  expect(report.rows).toMatchObject([
    { outcome: 'skipped', detail: 'duplicate' },
    { outcome: 'reactivated', member_id: expect.stringMatching(/^vmem_/) },
  ])
})

it('writes the links of face invites only with --no-notify, to a report that only its owner can read', async () => {
  const { file, folder, options, emulator } = await prepare('email\nada@example.com\n')
  const out = join(folder, 'report.csv')
  const { status, stdout } = await runCli(
    `members import ${file} --invite face --no-notify --report ${out}`,
    options,
  )
  const [row] = parse(await readFile(out, 'utf8'), { columns: true }) as Record<string, string>[]
  expect([status, stdout]).toEqual([0, ''])
  expect(row?.activation_link).toMatch(/^https:/)
  expect(((await stat(out)).mode & 0o777).toString(8)).toBe('600')
  expect(emulator.requests[0]?.body).toContain('"notify":false')

  const notified = await runCli(`members import ${file} --invite face`, options)
  expect(notified.stdout).not.toContain('activation_link')
})

it('a dry run of a file without exceptions prints only a summary', async () => {
  const { file } = await prepare(many(3))
  expect(await runCli(`members import ${file} --dry-run`)).toEqual({
    status: 0,
    stdout: '',
    stderr: '3 valid\nThis was a dry run: nothing was sent.\n',
  })
})

it('a finished import overwrites its report, and the links in it, only with --force', async () => {
  const { file, folder, options, emulator } = await prepare('email\nada@example.com\n')
  const out = join(folder, 'report.csv')
  const command = `members import ${file} --invite face --no-notify --report ${out}`
  await runCli(command, options)
  const report = await readFile(out, 'utf8')

  const again = await runCli(command, options)

  expect([again.status, again.stderr]).toEqual([
    2,
    `error: --report: ${out} exists. Choose another file, or overwrite it with --force.\n`,
  ])
  expect([await readFile(out, 'utf8'), emulator.requests.length]).toEqual([report, 1])
  expect(await readdir(folder)).toEqual(['people.csv', 'report.csv'])
  expect((await runCli(`members import ${file} --dry-run --report ${out}`, options)).status).toBe(2)
  expect((await runCli(`${command} --force`, options)).status).toBe(0)
  expect(await readFile(out, 'utf8')).toContain('skipped')
})

it('an import that is resumed overwrites the report that it wrote, and no other file', async () => {
  const { file, folder, options } = await prepare(many(501))
  const [out, other] = [join(folder, 'report.csv'), join(folder, 'other.csv')]
  await writeFile(other, 'the links of another import')
  const fetch: CliOptions['fetch'] = (...call) => {
    first.interrupt()
    return (options.fetch ?? globalThis.fetch)(...call)
  }
  const first = startCli(`members import ${file} --report ${out}`, { ...options, fetch })
  expect(await first.status).toBe(130)
  expect(await readFile(out, 'utf8')).toContain('pending')

  const refused = await runCli(`members import ${file} --report ${other}`, options)
  const { status } = await runCli(`members import ${file} --report ${out}`, options)

  expect([refused.status, await readFile(other, 'utf8')]).toEqual([2, 'the links of another import'])
  expect([status, (await readFile(out, 'utf8')).includes('pending')]).toEqual([0, false])
})

it('writes reports, exports and journals that only their owner can read, also to files that existed', async () => {
  const { file, folder, options, journal } = await prepare(many(2))
  const paths = [join(folder, 'report.csv'), join(folder, 'roster.csv'), journal]
  for (const path of paths) {
    await writeFile(path, '')
    await chmod(path, 0o644)
  }
  const env = { ...options.env, SVC_CLIENT_SECRET: 'another secret' }
  await runCli(`members import ${file} --report ${paths[0]}`, { ...options, env })
  await runCli(`members export --out ${paths[1]}`, options)
  const modes = await Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)))
  expect(modes).toEqual(['600', '600', '600'])
})

it.each(['--report', '--out', '--resume'])(
  'rejects a symbolic link as the file of %s and leaves its target as it was',
  async (option) => {
    const { file, folder, options, added } = await prepare(many(2))
    const [target, link] = [join(folder, 'target'), join(folder, 'link')]
    await writeFile(target, '')
    await chmod(target, 0o644)
    await symlink(target, link)
    const command = option === '--out' ? 'members export' : `members import ${file}`

    const { status, stderr } = await runCli(`${command} ${option} ${link} --json`, options)

    expect([status, JSON.parse(stderr).error.code, added()]).toEqual([2, 'ELOOP', []])
    expect(stderr).toContain(`${link} is a symbolic link to a file. Pass the path of the file itself.`)
    expect([(await stat(target)).mode & 0o777, await readFile(target, 'utf8')]).toEqual([0o644, ''])
  },
)

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

it('a journal without rows that are done does not prevent an import of the corrected file', async () => {
  const { file, options } = await prepare(many(2))
  const env = { ...options.env, SVC_CLIENT_SECRET: 'another secret' }
  const wrong = await runCli(`members import ${file}`, { ...options, env })
  await writeFile(file, many(3))
  const { status, report } = await importJson(file, options)
  expect([wrong.status, status, report.summary]).toEqual([3, 0, { created: 3 }])
})

it('escapes formulas in the report', async () => {
  const { file, options } = await prepare('email\n=cmd|1@example.com\n+1@example.com\n-2\n')
  const { stdout } = await runCli(`members import ${file}`, options)
  const cells = (parse(stdout) as string[][]).flat()
  expect(cells.filter((cell) => /^[=+@\t-]/.test(cell))).toEqual([])
  expect(cells).toContain("'=cmd|1@example.com")
})

it('leaves out the rows that the service rejects, and adds the other rows of that request', async () => {
  const { emulator, file, options, added } = await prepare(many(4), {})
  const { fetch } = options
  const rejectSecond: CliOptions['fetch'] = async (input, init) => {
    const { members } = JSON.parse(String(init?.body)) as { members: { email: string }[] }
    const at = members.findIndex(({ email }) => email.startsWith('person2'))
    if (at < 0) return (fetch ?? globalThis.fetch)(input, init)
    const error = { code: 'invalid_request', message: 'no' }
    const data = { errors: { [`members.${at}.email`]: ['is banned'] } }
    return Response.json({ success: false, error, data }, { status: 400 })
  }
  const { status, report } = await importJson(file, { ...options, fetch: rejectSecond })
  expect(status).toBe(1)
  expect(report.rows.map(({ outcome, column, detail }) => [outcome, column, detail])).toEqual([
    ['created', undefined, undefined],
    ['created', undefined, undefined],
    ['invalid', 'email', 'rejected: is banned'],
    ['created', undefined, undefined],
  ])
  expect([added().length, emulator.requests.length]).toEqual([1, 1])
})

it('resumes after Ctrl-C: every row is sent exactly once', async () => {
  const { emulator, file, options, added, journal } = await prepare(many(1234))
  const fetch: CliOptions['fetch'] = (...call) => {
    if (added().length === 1) first.interrupt()
    return (options.fetch ?? globalThis.fetch)(...call)
  }
  const first = startCli(`members import ${file} --json`, { ...options, fetch })
  expect(await first.status).toBe(130)
  const before = JSON.parse(first.stdout) as Report
  expect([before.summary, before.resume]).toEqual([{ created: 1000, pending: 234 }, journal])
  expect(first.interruptListeners).toBe(0)
  expect(((await stat(journal)).mode & 0o777).toString(8)).toBe('600')
  expect(await readFile(journal, 'utf8')).not.toContain('@')

  const { status, report, stderr } = await importJson(file, options)

  expect([status, report.summary, report.resume]).toEqual([0, { created: 1234 }, undefined])
  expect(stderr).toContain('rows that are done: 1000')
  expect(added().map(({ length }) => length)).toEqual([500, 500, 234])
  expect(
    new Set(
      added()
        .flat()
        .map(({ email }) => email),
    ).size,
  ).toBe(1234)
  expect([emulator.requests.length, existsSync(journal)]).toEqual([3, false])
})

it('prints after Ctrl-C the command that resumes the import, quoted for a shell', async () => {
  const { file, folder, options, journal } = await prepare(many(501))
  const out = join(folder, "today's report.csv")
  const fetch: CliOptions['fetch'] = (...call) => {
    first.interrupt()
    return (options.fetch ?? globalThis.fetch)(...call)
  }
  const args = ['members', 'import', file, '--invite', 'email', '--report', out]
  const first = startCli(args, { ...options, fetch })
  expect(await first.status).toBe(130)
  expect(first.stderr).toContain(`The rows that are done are recorded in ${journal}.\n`)
  expect(first.stderr).toContain(
    `To resume, run: npx identity-service-sdk members import ${file} --invite email --report '${folder}/today'\\''s report.csv'\n`,
  )
})

it('stops at once at the second Ctrl-C, and the next run sends the rows with an unknown outcome again', async () => {
  const { file, options, emulator } = await prepare(many(600))
  const fetch: CliOptions['fetch'] = async (...call) => {
    const response = await (options.fetch ?? globalThis.fetch)(...call)
    if (emulator.requests.length < 2) return response
    first.interrupt()
    first.interrupt()
    return new Promise((_, reject) => {
      reject(call[1]?.signal?.reason)
    })
  }
  const first = startCli(`members import ${file} --json`, { ...options, fetch })
  expect(await first.status).toBe(130)
  expect((JSON.parse(first.stdout) as Report).summary).toEqual({ created: 500, pending: 100 })

  const { status, report } = await importJson(file, options)
  // The service executed the aborted request, so it reports the rows as duplicates.
  expect([status, report.summary]).toEqual([0, { created: 500, skipped: 100 }])
})

it.each([
  ['status 503', { status: 503 }, 'failed', 'activation_failed'],
  ['a lost connection', { reset: true }, 'unknown', 'connection_failed'],
])(
  'reports the rows of a request that ended with %s, and the next run sends only those',
  async (_, fault, outcome, code) => {
    const { emulator, file, options, added } = await prepare(many(501))
    emulator.faults.add({ match: 'members.add', code: { unlisted: 'activation_failed' }, times: 1, ...fault })
    const before = await importJson(file, options)
    expect([before.status, before.report.summary]).toEqual([3, { [outcome]: 500, created: 1 }])
    expect(before.report.rows[0]?.detail).toBe(code)

    const after = await importJson(file, options)

    expect([after.status, after.report.summary]).toEqual([0, { created: 501 }])
    expect(added().at(-1)).toHaveLength(500)
  },
)

it('stops after the first request if the credentials are rejected', async () => {
  const { emulator, file, options, journal } = await prepare(many(1200))
  const env = { ...options.env, SVC_CLIENT_SECRET: 'canary-0123456789' }
  const { status, stdout, stderr } = await runCli(`members import ${file} --json`, { ...options, env })
  expect([status, emulator.requests.length]).toEqual([3, 1])
  expect((JSON.parse(stdout) as Report).summary).toEqual({ failed: 500, pending: 700 })
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'invalid_client', request_id: expect.any(String) },
  })
  expect(stdout + stderr + (await readFile(journal, 'utf8'))).not.toContain('canary')
})

it('does not send the remaining rows after three failed requests', async () => {
  const { emulator, file, options } = await prepare(many(2500))
  emulator.faults.add({
    match: 'members.add',
    status: 503,
    code: { unlisted: 'activation_failed' },
    times: 9,
  })
  const { status, report } = await importJson(file, options)
  expect([status, report.summary]).toEqual([3, { failed: 1500, pending: 1000 }])
})

/** An import that was interrupted after its first request. */
async function interruptedImport() {
  const prepared = await prepare(many(600))
  const first = startCli(`members import ${prepared.file}`, {
    ...prepared.options,
    fetch: (...call) => {
      first.interrupt()
      return (prepared.options.fetch ?? globalThis.fetch)(...call)
    },
  })
  expect(await first.status).toBe(130)
  return prepared
}

it('sends only the row again whose line in the journal was cut off', async () => {
  const { file, options, added, journal } = await interruptedImport()
  const { size } = await stat(journal)
  await truncate(journal, size - 3)
  const { status, report } = await importJson(file, options)
  expect([status, report.summary]).toEqual([0, { created: 599, skipped: 1 }])
  expect(added().at(-1)).toHaveLength(101)
})

it('removes an incomplete line from the journal even if no row is written after it', async () => {
  const { file, options, journal } = await interruptedImport()
  const whole = await readFile(journal, 'utf8')
  await writeFile(journal, `${whole}${'x'.repeat(100_000)}`)
  const env = { ...options.env, SVC_CLIENT_SECRET: 'another secret' }
  expect((await runCli(`members import ${file}`, { ...options, env })).status).toBe(3)
  expect(await readFile(journal, 'utf8')).toBe(whole)
})

it.each([
  ['the file changed', '', {}, many(601), 'the CSV file has changed'],
  ['the options differ', '--no-notify', {}, undefined, '--notify or --no-notify'],
  ['the organization differs', '', { SVC_CLIENT_ID: 'another' }, undefined, 'another organization'],
])('does not resume if %s', async (_, flags, env, csv, message) => {
  const { emulator, file, options } = await interruptedImport()
  if (csv !== undefined) await writeFile(file, csv)
  const requests = emulator.requests.length
  const { status, stderr } = await runCli(`members import ${file} ${flags}`.trim(), {
    ...options,
    env: { ...options.env, ...env },
  })
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  expect(emulator.requests).toHaveLength(requests)
})

it('resumes from the journal of --resume, which must exist and be a journal', async () => {
  const { file, folder, options, journal } = await interruptedImport()
  const moved = join(folder, 'moved')
  await writeFile(moved, await readFile(journal))
  const notAJournal = join(folder, 'strange')
  await writeFile(notAJournal, 'email\n')

  const resume = (path: string) => runCli(`members import ${file} --resume ${path}`, options)
  expect((await resume(join(folder, 'missing'))).status).toBe(2)
  expect((await resume(notAJournal)).status).toBe(2)
  expect(await readFile(notAJournal, 'utf8')).toBe('email\n')
  expect((await resume(moved)).status).toBe(0)
  expect(existsSync(moved)).toBe(false)
})

it('adds no member and names the missing folder if the report cannot be written', async () => {
  const { file, folder, options, added } = await prepare(many(1))
  const out = join(folder, 'no', 'report')
  const { status, stderr } = await runCli(`members import ${file} --report ${out}`, options)
  expect([status, added()]).toEqual([2, []])
  expect(stderr).toContain(
    `--report: ${out} cannot be written, because the folder ${join(folder, 'no')} does not exist.`,
  )
})

it('prints why a request failed and how many rows it contained', async () => {
  const { emulator, file, options } = await prepare(many(501))
  emulator.faults.add({
    match: 'members.add',
    status: 503,
    code: { unlisted: 'activation_failed' },
    times: 1,
  })
  const { status, stderr } = await runCli(`members import ${file}`, options)
  expect(status).toBe(3)
  expect(stderr).toMatch(/^A request failed \(rows: 500\): members\.add: 503 activation_failed: \w/m)
})

it('shows a progress bar on a terminal, clears it, and shows none elsewhere', async () => {
  const { file, options } = await prepare(many(700))
  const shown = await runCli(`members import ${file}`, { ...options, terminals: ['stderr'] })
  expect(shown.stderr).toContain('0/700')
  expect(shown.stderr).toContain('500/700')
  expect(shown.stderr).toContain('700/700\r\u001b[K')
  const piped = await runCli(`members import ${file}`, options)
  expect(piped.stderr).not.toMatch(/(?!\n)\p{Cc}/u)
  expect(piped.stderr).toContain('700 skipped')
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
  const results = [
    await runCli('members export --json', { env, fetch }),
    await runCli('members export --format json', { env, fetch }),
  ]
  expect(results[0]).toEqual(results[1])
  expect(JSON.parse(results[0]?.stdout ?? '')).toMatchObject([
    { id: 1, active: true, ...roster[0] },
    roster[1],
  ])
})

it('exports to a file that only its owner can read, and overwrites a file only with --force', async () => {
  const { env, fetch } = emulated({ members: roster })
  const out = join(await temporaryFolder(), 'roster.csv')
  const statuses = []
  for (const flag of ['', '', ' --force'])
    statuses.push((await runCli(`members export --out ${out}${flag}`, { env, fetch })).status)
  expect(statuses).toEqual([0, 2, 0])
  expect(((await stat(out)).mode & 0o777).toString(8)).toBe('600')
  expect(parse(await readFile(out, 'utf8'))).toHaveLength(3)
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

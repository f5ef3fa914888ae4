import { existsSync } from 'node:fs'
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { people } from '../org/emulated-org.ts'
import { emulated, type Situation, start, temporaryFolder, type } from './terminal.ts'

/** A CSV file, and an emulated organization that it can be imported into. */
async function prepared(csv: string | Uint8Array, options?: Parameters<typeof emulated>[0]) {
  const { emulator, env, fetch } = emulated(options)
  const folder = await temporaryFolder()
  const file = join(folder, 'people.csv')
  await writeFile(file, csv)
  const situation: Situation = { env, fetch }
  const added = () =>
    emulator.requests
      .filter(({ operation }) => operation === 'members.add')
      .map(({ body = '{}' }) => (JSON.parse(body) as { members: { email: string }[] }).members)
  return { emulator, file, folder, situation, added, state: `${file}.import` }
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

async function importJson(args: string, situation: Situation) {
  const { status, stdout, stderr } = await type(`members import ${args} --json`, situation)
  return { status, stderr, report: JSON.parse(stdout) as Report }
}

it('adds the people of a file with BOM, CRLF, quotes and empty lines, and reports each by its line', async () => {
  const csv = [
    '\ufeffEmail,First Name,last_name,role,team',
    'ada@example.com,"Ada, ""the""",Byron,developer,x',
    '',
    ' grace@example.com ,"Grace\r\nB.",,,y',
    'héloïse@example.com,Héloïse,,member,z',
    '',
  ].join('\r\n')
  const { file, situation, added, state } = await prepared(csv.replace('Grace\r\nB.', 'Grace B.'))

  const { status, report, stderr } = await importJson(file, situation)

  expect([status, stderr]).toEqual([0, 'columns that are ignored: team\n'])
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
  expect(existsSync(state)).toBe(false)
})

it('reports bad rows by line and column, sends nothing of them, and adds the others', async () => {
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
  const { file, situation, added } = await prepared(csv)

  const { status, report } = await importJson(file, situation)

  expect(status).toBe(1)
  expect(report.summary).toEqual({ created: 2, invalid: 6, skipped: 1 })
  expect(report.rows.map(({ line, outcome, column, detail }) => [line, outcome, column, detail])).toEqual([
    [2, 'created', undefined, undefined],
    [3, 'invalid', 'email', 'is no email address'],
    [4, 'invalid', 'email', 'is empty'],
    [5, 'invalid', 'role', 'must be one of owner, admin, developer, member'],
    [6, 'invalid', undefined, 'has 2 cells where the first line has 3'],
    [7, 'skipped', undefined, 'the same email as line 2'],
    [8, 'invalid', 'first_name', 'holds control characters'],
    [9, 'invalid', 'email', 'is no email address'],
    [10, 'created', undefined, undefined],
  ])
  expect(
    added()
      .flat()
      .map(({ email }) => email),
  ).toEqual(['ada@example.com', 'gus@example.com'])
})

it.each([
  ['an empty file', '', 'empty'],
  ['no column of emails', 'name\nAda\n', 'email'],
  ['a column that is there twice', 'email,E-mail,email\na@b.example,,\n', 'twice'],
  ['a quote that never closes', `email\n"ada@example.com\n${'x\n'.repeat(10)}`, 'quotes'],
  ['a quote where none may stand', 'email\nad"a@example.com\n', 'line 2'],
  ['UTF-16', Buffer.from('\ufeffemail\nada@example.com\n', 'utf16le'), 'UTF-8'],
  ['Latin-1', Buffer.from('email,first_name\nada@example.com,Ren\u00e9\n', 'latin1'), 'UTF-8'],
  ['NULs', 'email\nada@example.com\0\n', 'UTF-8'],
])('refuses a file with %s as a whole, and sends nothing', async (_, csv, said) => {
  const { file, situation, added, folder } = await prepared(csv)
  const { status, stdout, stderr } = await type(`members import ${file}`, situation)
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)])
  expect([added(), await readdir(folder)]).toEqual([[], ['people.csv']])
})

it.each([';', '\t'])('reads cells apart at %j, as spreadsheets write them', async (delimiter) => {
  const csv = `email${delimiter}last_name\nada@example.com${delimiter}"Byron, Lady"\n`
  const { file, situation, added } = await prepared(csv)
  await type(`members import ${file}`, situation)
  expect(added()).toEqual([[{ email: 'ada@example.com', last_name: 'Byron, Lady' }]])
})

it('a dry run reports what it would send, and needs neither settings nor a network', async () => {
  const { file, folder, added } = await prepared('email\nada@example.com\nnobody\nada@example.com\n')
  const { status, report } = await importJson(`${file} --dry-run`, {})
  expect([status, report]).toEqual([
    1,
    {
      summary: { valid: 1, invalid: 1, skipped: 1 },
      rows: [
        { line: 2, email: 'ada@example.com', outcome: 'valid' },
        { line: 3, email: 'nobody', outcome: 'invalid', column: 'email', detail: 'is no email address' },
        { line: 4, email: 'ada@example.com', outcome: 'skipped', detail: 'the same email as line 2' },
      ],
    },
  ])
  expect([added(), await readdir(folder)]).toEqual([[], ['people.csv']])
})

it('tells who was there already and who came back', async () => {
  const { file, situation } = await prepared('email\nold@example.com\ngone@example.com\n', {
    members: [{ email: 'old@example.com' }, { email: 'gone@example.com', status: 'deactivated' }],
  })
  const { status, report } = await importJson(file, situation)
  expect(status).toBe(0)
  expect(report.rows).toMatchObject([
    { outcome: 'skipped', detail: 'duplicate' },
    { outcome: 'reactivated', member_id: expect.stringMatching(/^vmem_/) },
  ])
})

it('hands the links of face invites over only without notification, in a report for its owner alone', async () => {
  const { file, folder, situation, emulator } = await prepared('email\nada@example.com\n')
  const out = join(folder, 'report.csv')
  const { status, stdout } = await type(
    `members import ${file} --invite face --no-notify --report ${out}`,
    situation,
  )
  const [row] = parse(await readFile(out, 'utf8'), { columns: true }) as Record<string, string>[]
  expect([status, stdout]).toEqual([0, ''])
  expect(row?.activation_link).toMatch(/^https:/)
  expect(((await stat(out)).mode & 0o777).toString(8)).toBe('600')
  expect(emulator.requests[0]?.body).toContain('"notify":false')

  const notified = await type(`members import ${file} --invite face`, situation)
  expect(notified.stdout).not.toContain('activation_link')
})

it('writes no formula into a report', async () => {
  const { file, situation } = await prepared('email\n=cmd|1@example.com\n+1@example.com\n-2\n')
  const { stdout } = await type(`members import ${file} --dry-run`, situation)
  const cells = (parse(stdout) as string[][]).flat()
  expect(cells.filter((cell) => /^[=+@\t-]/.test(cell))).toEqual([])
  expect(cells).toContain("'=cmd|1@example.com")
})

it('leaves out what the service refuses of a call, and adds the others of that call', async () => {
  const { emulator, file, situation, added } = await prepared(many(4), {})
  const { fetch } = situation
  const picky: Situation['fetch'] = async (input, init) => {
    const { members } = JSON.parse(String(init?.body)) as { members: { email: string }[] }
    const at = members.findIndex(({ email }) => email.startsWith('person2'))
    if (at < 0) return (fetch ?? globalThis.fetch)(input, init)
    const error = { code: 'invalid_request', message: 'no' }
    const data = { errors: { [`members.${at}.email`]: ['is banned'] } }
    return Response.json({ success: false, error, data }, { status: 400 })
  }
  const { status, report } = await importJson(file, { ...situation, fetch: picky })
  expect(status).toBe(1)
  expect(report.rows.map(({ outcome, column, detail }) => [outcome, column, detail])).toEqual([
    ['created', undefined, undefined],
    ['created', undefined, undefined],
    ['invalid', 'email', 'refused: is banned'],
    ['created', undefined, undefined],
  ])
  expect([added().length, emulator.requests.length]).toEqual([1, 1])
})

it('goes on after Ctrl-C where it was: nobody is sent twice, and nobody is forgotten', async () => {
  const { emulator, file, situation, added, state } = await prepared(many(1234))
  const fetch: Situation['fetch'] = (...call) => {
    if (added().length === 1) first.interrupt()
    return (situation.fetch ?? globalThis.fetch)(...call)
  }
  const first = start(`members import ${file} --json`, { ...situation, fetch })
  expect(await first.status).toBe(130)
  const before = JSON.parse(first.stdout) as Report
  expect([before.summary, before.resume]).toEqual([{ created: 1000, pending: 234 }, state])
  expect(first.listening).toBe(0)
  expect(((await stat(state)).mode & 0o777).toString(8)).toBe('600')
  expect(await readFile(state, 'utf8')).not.toContain('@')

  const { status, report, stderr } = await importJson(file, situation)

  expect([status, report.summary, report.resume]).toEqual([0, { created: 1234 }, undefined])
  expect(stderr).toContain('1000 rows are done')
  expect(added().map(({ length }) => length)).toEqual([500, 500, 234])
  expect(
    new Set(
      added()
        .flat()
        .map(({ email }) => email),
    ).size,
  ).toBe(1234)
  expect([emulator.requests.length, existsSync(state)]).toEqual([3, false])
})

it('ends at once at the second Ctrl-C, and goes on with the rows whose fate is open', async () => {
  const { file, situation, emulator } = await prepared(many(600))
  const fetch: Situation['fetch'] = async (...call) => {
    const answer = await (situation.fetch ?? globalThis.fetch)(...call)
    if (emulator.requests.length < 2) return answer
    first.interrupt()
    first.interrupt()
    return new Promise((_, reject) => {
      reject(call[1]?.signal?.reason)
    })
  }
  const first = start(`members import ${file} --json`, { ...situation, fetch })
  expect(await first.status).toBe(130)
  expect((JSON.parse(first.stdout) as Report).summary).toEqual({ created: 500, pending: 100 })

  const { status, report } = await importJson(file, situation)
  // The call had arrived: the service names its rows as duplicates.
  expect([status, report.summary]).toEqual([0, { created: 500, skipped: 100 }])
})

it.each([
  ['a failure', { status: 503 }, 'failed', 'activation_failed'],
  ['a lost connection', { reset: true }, 'unknown', 'connection_failed'],
])(
  'reports the rows of a call that met %s, and the same command tries those alone',
  async (_, fault, outcome, code) => {
    const { emulator, file, situation, added } = await prepared(many(501))
    emulator.faults.add({ match: 'members.add', code: 'activation_failed', times: 1, ...fault })
    const before = await importJson(file, situation)
    expect([before.status, before.report.summary]).toEqual([3, { [outcome]: 500, created: 1 }])
    expect(before.report.rows[0]?.detail).toBe(code)

    const after = await importJson(file, situation)

    expect([after.status, after.report.summary]).toEqual([0, { created: 501 }])
    expect(added().at(-1)).toHaveLength(500)
  },
)

it('ends at the first call when the credentials are refused', async () => {
  const { emulator, file, situation, state } = await prepared(many(1200))
  const env = { ...situation.env, SVC_CLIENT_SECRET: 'canary-0123456789' }
  const { status, stdout, stderr } = await type(`members import ${file} --json`, { ...situation, env })
  expect([status, emulator.requests.length]).toEqual([3, 1])
  expect((JSON.parse(stdout) as Report).summary).toEqual({ failed: 500, pending: 700 })
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'invalid_client', request_id: expect.any(String) },
  })
  expect(stdout + stderr + (await readFile(state, 'utf8'))).not.toContain('canary')
})

it('leaves the rest alone after three failed calls', async () => {
  const { emulator, file, situation } = await prepared(many(2500))
  emulator.faults.add({ match: 'members.add', status: 503, code: 'activation_failed', times: 9 })
  const { status, report } = await importJson(file, situation)
  expect([status, report.summary]).toEqual([3, { failed: 1500, pending: 1000 }])
})

/** An import that was interrupted after its first call. */
async function interrupted() {
  const made = await prepared(many(600))
  const first = start(`members import ${made.file}`, {
    ...made.situation,
    fetch: (...call) => {
      first.interrupt()
      return (made.situation.fetch ?? globalThis.fetch)(...call)
    },
  })
  expect(await first.status).toBe(130)
  return made
}

it('sends a row again whose line in the journal was cut off, and no other', async () => {
  const { file, situation, added, state } = await interrupted()
  const { size } = await stat(state)
  await truncate(state, size - 3)
  const { status, report } = await importJson(file, situation)
  expect([status, report.summary]).toEqual([0, { created: 599, skipped: 1 }])
  expect(added().at(-1)).toHaveLength(101)
})

it('cuts off what was written in part, however little comes after it', async () => {
  const { file, situation, state } = await interrupted()
  const whole = await readFile(state, 'utf8')
  await writeFile(state, `${whole}${'x'.repeat(100_000)}`)
  const env = { ...situation.env, SVC_CLIENT_SECRET: 'a secret of others' }
  expect((await type(`members import ${file}`, { ...situation, env })).status).toBe(3)
  expect(await readFile(state, 'utf8')).toBe(whole)
})

it.each([
  ['the file changed', '', {}, many(601), 'changed'],
  ['other options are given', '--no-notify', {}, undefined, 'notify'],
  ['it is another organization', '', { SVC_CLIENT_ID: 'another' }, undefined, 'target'],
])('does not go on when %s', async (_, flags, env, csv, said) => {
  const { emulator, file, situation } = await interrupted()
  if (csv !== undefined) await writeFile(file, csv)
  const requests = emulator.requests.length
  const { status, stderr } = await type(`members import ${file} ${flags}`.trim(), {
    ...situation,
    env: { ...situation.env, ...env },
  })
  expect([status, stderr]).toEqual([2, expect.stringContaining(said)])
  expect(emulator.requests).toHaveLength(requests)
})

it('goes on with a journal at another place, which must be there and be one', async () => {
  const { file, folder, situation, state } = await interrupted()
  const moved = join(folder, 'moved')
  await writeFile(moved, await readFile(state))
  const strange = join(folder, 'strange')
  await writeFile(strange, 'email\n')

  const resume = (path: string) => type(`members import ${file} --resume ${path}`, situation)
  expect((await resume(join(folder, 'missing'))).status).toBe(2)
  expect((await resume(strange)).status).toBe(2)
  expect(await readFile(strange, 'utf8')).toBe('email\n')
  expect((await resume(moved)).status).toBe(0)
  expect(existsSync(moved)).toBe(false)
})

it('adds nobody when the report cannot be written', async () => {
  const { file, folder, situation, added } = await prepared(many(1))
  const { status } = await type(`members import ${file} --report ${join(folder, 'no', 'report')}`, situation)
  expect([status, added()]).toEqual([2, []])
})

it('shows a bar on a terminal, takes it away, and shows none elsewhere', async () => {
  const { file, situation } = await prepared(many(700))
  const shown = await type(`members import ${file}`, { ...situation, terminals: ['stderr'] })
  expect(shown.stderr).toContain('0/700')
  expect(shown.stderr).toContain('500/700')
  expect(shown.stderr).toContain('700/700\r\u001b[K')
  const piped = await type(`members import ${file}`, situation)
  expect(piped.stderr).not.toMatch(/(?!\n)\p{Cc}/u)
  expect(piped.stderr).toContain('700 skipped')
})

const roster = [
  { email: 'ada@example.com', first_name: '=HYPERLINK("x")', last_name: '@sum' },
  { email: '+bo@example.com', first_name: '-2', last_name: '\tq, "r"' },
]

it('exports the roster as CSV that no spreadsheet runs', async () => {
  const { env, fetch } = emulated({ members: roster })
  const { status, stdout, stderr } = await type('members export', { env, fetch })
  expect([status, stderr]).toEqual([0, ''])
  expect(parse(stdout, { columns: true })).toMatchObject([
    {
      email: 'ada@example.com',
      first_name: `'=HYPERLINK("x")`,
      last_name: `'@sum`,
      role: 'member',
      status: 'active',
    },
    { email: "'+bo@example.com", first_name: "'-2", last_name: `'\tq, "r"` },
  ])
  expect(stdout.split('\n')[0]).toBe('member_id,email,first_name,last_name,role,status,svc_id,created_at')
})

it('exports the roster as JSON with all that the service said', async () => {
  const { env, fetch } = emulated({ members: roster })
  const results = [
    await type('members export --json', { env, fetch }),
    await type('members export --format json', { env, fetch }),
  ]
  expect(results[0]).toEqual(results[1])
  expect(JSON.parse(results[0]?.stdout ?? '')).toMatchObject([
    { id: 1, active: true, ...roster[0] },
    roster[1],
  ])
})

it('exports into a file for its owner alone, and replaces none unless told to', async () => {
  const { env, fetch } = emulated({ members: roster })
  const out = join(await temporaryFolder(), 'roster.csv')
  const statuses = []
  for (const flag of ['', '', ' --force'])
    statuses.push((await type(`members export --out ${out}${flag}`, { env, fetch })).status)
  expect(statuses).toEqual([0, 2, 0])
  expect(((await stat(out)).mode & 0o777).toString(8)).toBe('600')
  expect(parse(await readFile(out, 'utf8'))).toHaveLength(3)
})

it('tells a refusal of the service with its code, the request and where to read on', async () => {
  const { env, fetch } = emulated()
  const refused = { ...env, SVC_CLIENT_SECRET: 'canary-0123456789' }
  const { status, stdout, stderr } = await type('members export', { env: refused, fetch })
  expect([status, stdout]).toEqual([3, ''])
  expect(stderr).toMatch(/invalid_client, request req_\w+/)
  expect(stderr).toContain('identity-service explain invalid_client')
  expect(stderr).not.toContain('canary')
})

it.each(['SVC_ORG_BASE_URL', 'SVC_CLIENT_ID', 'SVC_CLIENT_SECRET'])(
  'export says that %s is missing',
  async (name) => {
    const { env, fetch } = emulated()
    const { status, stderr } = await type('members export', { env: { ...env, [name]: undefined }, fetch })
    expect([status, stderr]).toEqual([2, expect.stringContaining(name)])
  },
)

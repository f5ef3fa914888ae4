import { existsSync } from 'node:fs'
import { mkdir, open, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, it, vi } from 'vitest'
import { OrgClient } from '../../../src/index.ts'
import { people } from '../../org/emulated-org.ts'
import { type CliOptions, emulated, runCli, startCli, temporaryFolder } from '../terminal.ts'

type EmulatorOptions = NonNullable<Parameters<typeof emulated>[0]>

const inactive = (members: readonly { email: string }[]) =>
  members.map((one) => ({ ...one, status: 'deactivated' as const }))
const csvOf = (rows: readonly { email: string }[]) => `email\n${rows.map(({ email }) => `${email}\n`).join('')}`

/** An emulated organization, and a CSV file with the roster that it is to have. */
async function prepare(members: EmulatorOptions['members'], csv: string) {
  const { emulator, env, fetch } = emulated({ members })
  const folder = await temporaryFolder()
  const file = join(folder, 'people.csv')
  await writeFile(file, csv)
  const options: CliOptions = { env, fetch }
  const active = async () => {
    const { members } = await new OrgClient(emulator.options.org).members.list()
    return members.filter(({ status }) => status !== 'deactivated').map(({ email }) => email)
  }
  const reads = ['members.list', 'members.resolve']
  const written = () => emulator.requests.filter(({ operation }) => !reads.includes(String(operation))).length
  const sync = (args: string, more: CliOptions = {}) => runCli(`members sync ${args}`, { ...options, ...more })
  return { active, emulator, env, folder, file, options, sync, written }
}

const othersNote =
  'Owners, admins and developers who are not in the file are not listed by the service, so none of them is removed.'

const everyone = people(40)
const roster = [...everyone.slice(0, 30), ...inactive(everyone.slice(30))]
const desired = [...everyone.slice(0, 25), ...everyone.slice(30, 34), ...people(3, 100)]

it('without --apply, prints a line for each change and their counts, and changes nothing', async () => {
  const { file, sync, written } = await prepare(
    [{ email: 'ada@example.com' }, { email: 'bo@example.com', first_name: 'Bo', status: 'deactivated' }],
    'email,first_name,last_name,role\nBO@example.com,Bo,,\ncy@example.com,Cy,Example,developer\n',
  )

  const { status, stdout, stderr } = await sync(`${file} --max-removals 1`)

  expect(status).toBe(0)
  expect(stdout.split('\n')).toEqual([
    '+ cy@example.com  Cy Example  developer',
    '~ bo@example.com  Bo  reactivate',
    '- ada@example.com',
    '',
  ])
  expect(stderr.split('\n')).toEqual([
    '1 to add, 1 to reactivate, 1 to remove, 0 unchanged, 0 conflicts',
    'Nothing was changed.',
    othersNote,
    'The people to add get an email, unless you add --no-notify.',
    `To make these changes, run: npx identity-service-sdk members sync ${file} --max-removals 1 --apply`,
    '',
  ])
  expect(written()).toBe(0)
})

it('--apply makes the changes, and a second run has none left', async () => {
  const { active, file, sync } = await prepare(roster, csvOf(desired))

  const first = await sync(`${file} --apply --max-removals 5 --json`)
  const second = await sync(`${file} --apply --max-removals 5`)

  expect(first.status).toBe(0)
  expect(JSON.parse(first.stdout).summary).toEqual({ done: 12, skipped: 0, kept: 0, failed: 0, pending: 0 })
  expect([second.status, second.stdout, second.stderr]).toEqual([
    0,
    '',
    '0 done, 0 skipped, 0 kept, 0 failed, 0 pending\n',
  ])
  expect((await active()).sort()).toEqual(desired.map(({ email }) => email).sort())
})

it('a file with people of several roles needs nothing on the second and the third night', async () => {
  const { emulator, file, sync, written } = await prepare(
    [
      { email: 'owner@example.com', role: 'owner' },
      { email: 'admin@example.com', role: 'admin' },
      { email: 'developer@example.com', role: 'developer' },
      { email: 'former@example.com', role: 'developer', status: 'deactivated' },
      { email: 'leaver@example.com' },
    ],
    'email,role\nowner@example.com,owner\nADMIN@example.com,admin\ndeveloper@example.com,developer\n' +
      'former@example.com,developer\nnew-developer@example.com,developer\nnew@example.com,\n',
  )

  const first = await sync(`${file} --apply --max-removals 1 --json`)
  const writes = written()
  const nights = [await sync(`${file} --apply --max-removals 1`), await sync(`${file} --max-removals 1`)]

  expect([first.status, JSON.parse(first.stdout).summary]).toEqual([
    0,
    { done: 4, skipped: 0, kept: 0, failed: 0, pending: 0 },
  ])
  expect(nights).toMatchObject([
    { status: 0, stdout: '', stderr: '0 done, 0 skipped, 0 kept, 0 failed, 0 pending\n' },
    {
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('0 to add, 0 to reactivate, 0 to remove, 6 unchanged'),
    },
  ])
  expect(written()).toBe(writes)
  expect(emulator.requests.filter(({ operation }) => operation === 'members.add')).toHaveLength(1)
})

it('a plan of a permanent removal says "delete permanently" wherever it is printed', async () => {
  const { folder, file, sync } = await prepare(people(3), csvOf(people(1)))
  const saved = join(folder, 'plan.json')
  await sync(`${file} --remove permanent --max-removals 1 --out ${saved}`)

  for (const target of [`${file} --remove permanent --max-removals 1`, saved]) {
    const { stdout, stderr } = await sync(target)
    expect(stdout).toBe('- person1@example.com  delete permanently\n- person2@example.com  delete permanently\n')
    expect(stderr).toContain('0 to add, 0 to reactivate, 2 to delete permanently, ')
    expect((await sync(`${target} --apply`)).stderr).toContain('2 members would be deleted permanently')
  }
  const report = join(folder, 'report.csv')
  const applied = await sync(`${saved} --apply --max-removals 2 --out ${report}`)
  expect([applied.status, applied.stdout]).toEqual([0, ''])
  expect((parse(await readFile(report, 'utf8'), { bom: true }) as string[][])[1]?.[0]).toBe('delete permanently')
})

it('without --max-removals, members who are not in the file are kept and counted, and the others are added', async () => {
  const { active, file, sync } = await prepare(people(3), csvOf(people(2, 2)))

  const plan = await sync(file)
  const applied = await sync(`${file} --apply`)

  const note = 'Members who are not in the file, and are kept: 2. To remove them, add --max-removals 2.\n'
  expect([plan.stdout, applied.stdout]).toEqual(Array(2).fill('+ person3@example.com\n'))
  expect(plan.stderr).toContain(`1 to add, 0 to reactivate, 0 to remove, 3 unchanged, 0 conflicts\n`)
  expect([plan.stderr, applied.stderr]).toEqual(Array(2).fill(expect.stringContaining(note)))
  expect([plan.stderr.includes(othersNote), applied.status]).toEqual([false, 0])
  expect(await active()).toHaveLength(4)
})

it('a plan counts the rows with another name or role than the roster, which a sync never changes', async () => {
  const { file, sync } = await prepare(
    [
      { email: 'ada@example.com', first_name: 'Ada' },
      { email: 'bo@example.com', role: 'admin', status: 'deactivated' },
      { email: 'cy@example.com', first_name: 'Cy', last_name: 'Example' },
    ],
    'email,first_name,role\nADA@example.com,Augusta,\nbo@example.com,,developer\ncy@example.com,Cy,member\nnew@example.com,New,admin\n',
  )

  const { stderr } = await sync(file)

  expect(stderr).toContain('Rows with another name or role than the roster: 2. Neither is ever changed.\n')
  expect((await sync(`${file} --apply`)).status).toBe(0)
})

it('the command that a plan prints makes its changes', async () => {
  const { active, emulator, env, folder, file, sync } = await prepare(people(3), csvOf([...people(1), ...people(1, 9)]))
  const [saved, settings] = [join(folder, 'plan.json'), join(folder, 'prod.env')]
  await writeFile(settings, `SVC_CLIENT_ID=${env.SVC_CLIENT_ID}\n`)
  const plans = [
    await sync(`${file} --max-removals 2`),
    await sync(`${file} --max-removals 2 --out ${saved} --invite face --no-notify --env-from ${settings}`),
    await sync(saved),
  ]
  const hints = plans.map(({ stderr }) => /run: npx identity-service-sdk members sync (.*)/.exec(stderr)?.[1] ?? '')

  const runs = []
  for (const hint of [hints[1], hints[0]]) runs.push(await sync(String(hint)))

  expect(hints).toEqual([
    `${file} --max-removals 2 --apply`,
    `${saved} --env-from ${settings} --invite face --no-notify --apply`,
    `${saved} --apply`,
  ])
  expect(runs.map(({ status }) => status)).toEqual([0, 0])
  expect(runs[0]?.stdout).toMatch(/^\+ person9@example\.com {2}https:/)
  expect(emulator.requests.filter(({ operation }) => operation === 'members.add')).toHaveLength(1)
  expect((await active()).sort()).toEqual(['person0@example.com', 'person9@example.com'])
})

it.each([
  ['', false],
  ['--out', true],
  ['--json', false],
])('a plan beyond --max-removals %s says that it would be refused, and offers no command', async (option, isSaved) => {
  const { folder, file, sync, written } = await prepare(people(3), csvOf(people(1)))

  const plan = await sync(`${file} --max-removals 1 ${option}${isSaved ? ` ${join(folder, 'plan.json')}` : ''}`.trim())

  expect(plan.status).toBe(1)
  expect(plan.stderr).toContain(
    'These changes would be refused: 2 members would be removed, and --max-removals is 1. If all of them are to go, set --max-removals 2.\n',
  )
  expect(plan.stderr).not.toContain('npx')
  expect(written()).toBe(0)
})

it('--out writes a plan that only its owner can read, and that is printed again and applied later', async () => {
  const { folder, file, sync, written } = await prepare(roster, csvOf(desired))
  const saved = join(folder, 'plan.json')

  const made = await sync(`${file} --max-removals 5 --out ${saved}`)
  const again = await sync(`${file} --max-removals 5 --out ${saved}`)
  const forced = await sync(`${file} --max-removals 5 --out ${saved} --force --json`)
  const mode = (await stat(saved)).mode & 0o777
  const review = await sync(saved)
  const applied = await sync(`${saved} --apply`)

  expect([made.status, made.stdout, mode]).toEqual([0, '', 0o600])
  expect(made.stderr).toContain(`\nPlan: ${saved}\nNothing was changed.\n`)
  expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('overwrite it with --force')])
  expect(JSON.parse(forced.stdout)).toEqual({
    file: saved,
    add: 3,
    reactivate: 4,
    remove: 5,
    unchanged: 25,
    conflicts: 0,
  })
  expect(review.stdout.split('\n')).toHaveLength(13)
  expect(review.stderr).toContain(othersNote)
  expect([applied.status, written()]).toEqual([0, 1 + 4 + 5])
})

it('a saved plan is renamed when it is done, so that a second run does not undo what was changed by hand', async () => {
  const { active, emulator, folder, file, sync } = await prepare(people(2), csvOf(people(1)))
  const saved = join(folder, 'plan.json')
  await sync(`${file} --max-removals 1 --out ${saved}`)

  const first = await sync(`${saved} --apply`)
  await new OrgClient(emulator.options.org).members.reactivate('person1@example.com')
  const second = await sync(`${saved} --apply`)

  expect([first.status, first.stderr]).toEqual([
    0,
    `1 done, 0 skipped, 0 kept, 0 failed, 0 pending\nThe plan is done, and is now ${saved}.applied.\n`,
  ])
  expect([second.status, second.stderr]).toEqual([
    2,
    `error: ${saved} was applied already, and is now ${saved}.applied. Make a new plan from the CSV file.\n`,
  ])
  expect([existsSync(saved), existsSync(`${saved}.applied`)]).toEqual([false, true])
  expect(await active()).toHaveLength(2)
})

it('a plan that cannot be renamed is done all the same, with the advice to delete it', async () => {
  const { folder, file, sync } = await prepare([], csvOf(people(1)))
  const saved = join(folder, 'plan.json')
  await sync(`${file} --out ${saved}`)
  await mkdir(`${saved}.applied`)

  const { status, stderr } = await sync(`${saved} --apply`)

  expect([status, stderr]).toEqual([
    0,
    expect.stringMatching(/could not be renamed to .*plan\.json\.applied \(EISDIR\)\. Delete it: /),
  ])
})

it('a plan that is read through a link is not renamed', async () => {
  const { folder, file, sync } = await prepare([], csvOf(people(1)))
  const [saved, link] = [join(folder, 'plan.json'), join(folder, 'link.json')]
  await sync(`${file} --out ${saved}`)
  await symlink(saved, link)

  const { status, stderr } = await sync(`${link} --apply`)

  expect([status, existsSync(link)]).toEqual([0, true])
  expect(stderr).toContain('It is not a regular file, so it was not renamed.')
})

it('a saved plan that was interrupted stays, and a second run makes the changes that are left', async () => {
  const { emulator, folder, file, sync, written } = await prepare(roster, csvOf(desired))
  const saved = join(folder, 'plan.json')
  await sync(`${file} --max-removals 5 --out ${saved}`)
  emulator.faults.add({ match: 'members.remove', status: 401, code: 'invalid_client', times: 1 })

  const first = await sync(`${saved} --apply --json`)
  const second = await sync(`${saved} --apply --json`)

  expect(first.status).toBe(3)
  expect(JSON.parse(first.stdout)).toMatchObject({
    summary: { done: 7, skipped: 0, kept: 0, failed: 1, pending: 4 },
    resume_command: `npx identity-service-sdk members sync ${saved} --apply --json`,
  })
  expect(second.status).toBe(0)
  expect(JSON.parse(second.stdout).summary).toEqual({ done: 5, skipped: 7, kept: 0, failed: 0, pending: 0 })
  expect(written()).toBe(1 + 4 + 1 + 5)
  expect(existsSync(`${saved}.applied`)).toBe(true)
})

it('with --no-notify, the report has the links of face invites, and only its owner can read it', async () => {
  const { emulator, folder, file, sync } = await prepare([], csvOf(people(2)))
  const [out, json] = [join(folder, 'report.csv'), join(folder, 'report.json')]

  const first = await sync(`${file} --apply --invite face --no-notify --out ${out}`)
  const kept = await readFile(out, 'utf8')
  const second = await sync(`${file} --apply --invite face --no-notify --out ${out}`)
  await writeFile(file, csvOf(people(3)))
  const third = await sync(`${file} --apply --invite face --no-notify --json --out ${json}`)

  const rows = parse(kept, { bom: true, columns: true }) as Record<string, string>[]
  expect(rows).toEqual(
    ['person0', 'person1'].map((name) => ({
      action: 'add',
      email: `${name}@example.com`,
      outcome: 'done',
      detail: '',
      member_id: expect.stringMatching(/^vmem_/),
      activation_link: expect.stringMatching(/^https:/),
    })),
  )
  expect([first.status, first.stdout, (await stat(out)).mode & 0o777]).toEqual([0, '', 0o600])
  expect([second.status, await readFile(out, 'utf8')]).toEqual([2, kept])
  expect(emulator.requests.find(({ operation }) => operation === 'members.add')?.body).toContain('"notify":false')
  expect(JSON.parse(third.stdout)).toEqual({
    summary: { done: 1, skipped: 0, kept: 0, failed: 0, pending: 0 },
    file: json,
  })
  expect(JSON.parse(await readFile(json, 'utf8')).changes).toMatchObject([
    { email: 'person2@example.com', activation_link: expect.stringMatching(/^https:/) },
  ])
})

it('with --no-notify, says where to read how to get the links of a lost response again', async () => {
  const { emulator, file, sync } = await prepare([], csvOf(people(2)))
  emulator.faults.add({ match: 'members.add', reset: true, when: 'after' })

  const lost = await sync(`${file} --apply --invite face --no-notify`)
  const again = await sync(`${file} --apply --invite face --no-notify`)

  expect([lost.status, again.status]).toEqual([3, 0])
  const help = 'To get a lost link again, see docs/guides/sync-roster.md in the package'
  expect(lost.stderr).toContain(`People of a failed call can be members now, without a link in the report. ${help}`)
  expect(again.stderr).toContain(`Members who have not used the link of an earlier run: 2. ${help}`)
})

it('with --no-notify, a row that the service rejects has no lost link', async () => {
  const { emulator, file, sync } = await prepare([], csvOf(people(1)))
  emulator.faults.add({ match: 'members.add', status: 400, code: 'invalid_request' })

  const { status, stderr } = await sync(`${file} --apply --invite face --no-notify`)

  expect(status).toBe(3)
  expect(stderr).not.toContain('lost link')
})

it('says who has to activate again after a reactivation', async () => {
  const { emulator, file, sync } = await prepare([], csvOf(people(1)))
  await sync(`${file} --apply --invite face`)
  const { members } = new OrgClient(emulator.options.org)
  await members.deactivate('person0@example.com')

  const { stdout } = await sync(`${file} --apply --invite face`)

  expect(stdout).toContain('~ person0@example.com  reactivate  has to activate again, and has no link\n')
})

it('without --no-notify, the report has no links', async () => {
  const { file, sync } = await prepare([], csvOf(people(1)))
  const { stdout } = await sync(`${file} --apply --invite face --json`)
  expect(JSON.parse(stdout).changes).toMatchObject([{ outcome: 'done', member_id: expect.any(String) }])
  expect(stdout).not.toContain('activation_link')
})

it('changes nothing, and names the missing folder, if the report cannot be written', async () => {
  const { file, folder, sync, written } = await prepare([], csvOf(people(1)))
  const { status, stderr } = await sync(`${file} --apply --out ${join(folder, 'no', 'report')}`)
  expect([status, written()]).toEqual([2, 0])
  expect(stderr).toContain(`because the folder ${join(folder, 'no')} does not exist.`)
})

it('escapes formulas in the report', async () => {
  const { file, folder, sync } = await prepare([], 'email\n=cmd|1@example.com\n+1@example.com\n')
  const out = join(folder, 'report.csv')
  await sync(`${file} --apply --out ${out}`)
  const cells = (parse(await readFile(out, 'utf8'), { bom: true }) as string[][]).flat()
  expect(cells.filter((cell) => /^[=+@\t-]/.test(cell))).toEqual([])
  expect(cells).toContain("'=cmd|1@example.com")
})

it('a person whose fields the service rejects is reported with them, and the others are added', async () => {
  const { file, options, sync } = await prepare([], csvOf(people(3)))
  const rejectSecond: CliOptions['fetch'] = async (input, init) => {
    const { members = [] } = JSON.parse(String(init?.body ?? '{}')) as { members?: { email: string }[] }
    const at = members.findIndex(({ email }) => email.startsWith('person1'))
    if (at < 0) return (options.fetch ?? globalThis.fetch)(input, init)
    const error = { code: 'invalid_request', message: 'no' }
    const data = { errors: { [`members.${at}.email`]: ['is banned'] } }
    return Response.json({ success: false, error, data }, { status: 400 })
  }

  const { status, stdout } = await sync(`${file} --apply`, { fetch: rejectSecond })

  expect([status, stdout.split('\n')]).toEqual([
    3,
    ['+ person0@example.com', '+ person1@example.com  failed: rejected: email is banned', '+ person2@example.com', ''],
  ])
})

it.each([
  ['an empty file', '', 'The file is empty'],
  ['a file without rows', 'email\n', 'The file has no rows'],
  ['a file without the column', 'mail\nperson0@example.com\n', 'does not name the column email'],
  ['another column under that name', 'email\n42\n43\n', 'Line 3: email is not an email address.'],
  ['a row twice', 'email\nperson0@example.com\nPERSON0@example.com\n', 'Line 3: the row has the same email as line 2.'],
  [
    'an invisible character in an email',
    'email\nperson0@exam\u200bple.com\n',
    'Line 2: email contains the invisible or control character U+200B',
  ],
  [
    'two spellings',
    'email\nbo@b\u00fccher.example\nBO@xn--bcher-kva.example.\n',
    'Line 3: the row has the same email as line 2.',
  ],
  ['a name around an email', 'email\nAda <person0@example.com>\n', 'Line 2: email is not an email address.'],
  [
    'a status of another system',
    'email,status\nperson0@example.com,Terminated\n',
    'Line 2: status must be one of invited,',
  ],
  ['half of the file', csvOf(people(15)), '15 members would be removed, and --max-removals is 5'],
  ['a file that ends in a cell', 'email,first_name\nperson0@example.com,"An', 'a quote is not closed'],
])('%s removes nobody', async (_, csv, message) => {
  const { file, sync, written } = await prepare(people(30), csv)

  const { status, stderr } = await sync(`${file} --apply --max-removals 5`)

  expect([status, written()]).toEqual([2, 0])
  expect(stderr).toContain(message)
})

it('a saved plan does not take --remove', async () => {
  const { folder, file, sync } = await prepare(roster, csvOf(desired))
  const saved = join(folder, 'plan.json')
  await sync(`${file} --out ${saved}`)

  const { status, stderr } = await sync(`${saved} --apply --remove permanent`)

  expect([status, stderr]).toEqual([2, expect.stringContaining('--remove is a part of a saved plan')])
})

it.each([
  '{}',
  '{"changes":[]}',
  '{"changes":[{"action":"erase"}],"unchanged":[],"conflicts":[]}',
  '{"changes":[{"action":"remove"}],"unchanged":[],"conflicts":[]}',
])('JSON that is not a plan is rejected: %s', async (json) => {
  const { file, sync, written } = await prepare(people(2), json)
  for (const flag of ['', ' --apply']) {
    const { status, stderr } = await sync(`${file}${flag}`)
    expect([status, stderr]).toEqual([2, expect.stringContaining('not a plan of "members sync"')])
  }
  expect(written()).toBe(0)
})

it('the export of a roster that nobody edited changes nothing', async () => {
  const { folder, sync, options, written } = await prepare(
    [
      { email: 'ada@example.com', first_name: 'Zo\u00eb' },
      { email: 'gone@example.com', status: 'deactivated' },
    ],
    '',
  )
  const exported = join(folder, 'roster.csv')
  await runCli(`members export --out ${exported}`, options)

  const { status, stdout, stderr } = await sync(`${exported} --apply --max-removals 9`)

  expect([status, stdout, written()]).toEqual([0, '', 0])
  expect(stderr).toContain('0 done, 0 skipped, 0 kept, 0 failed, 0 pending\n')
})

it('a row whose status is deactivated removes nobody, and the command counts it', async () => {
  const { active, file, sync } = await prepare(
    people(2),
    'email,status\nperson0@example.com,Deactivated\nperson1@example.com,\n',
  )
  const note = 'Rows with the status deactivated whose member has another one: 1. They change nothing.'

  for (const flag of ['', ' --apply'])
    expect(await sync(`${file} --max-removals 1${flag}`)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(note),
    })

  expect(await active()).toHaveLength(2)
})

it('nobody is removed if an addition fails, and the command says so', async () => {
  const { active, emulator, file, sync } = await prepare(people(3), csvOf([...people(1), ...people(1, 9)]))
  emulator.faults.add({ match: 'members.add', status: 503, times: 1 })

  const failed = await sync(`${file} --apply --max-removals 2`)
  const kept = await active()
  const next = await sync(`${file} --apply --max-removals 2`)

  expect([failed.status, kept.length]).toEqual([3, 3])
  expect(failed.stdout).toContain('- person1@example.com  kept: an addition or reactivation failed\n')
  expect(failed.stderr).toContain('0 done, 0 skipped, 2 kept, 1 failed, 0 pending\nNobody was removed, because')
  expect([next.status, await active()]).toEqual([0, ['person0@example.com', 'person9@example.com']])
})

it('a removal of an address that no member has says that nobody was found, with the nearest address', async () => {
  const { folder, file, sync, active } = await prepare(
    [{ email: 'stays@example.com' }, { email: 'leaver@example.com' }],
    'email\nstays@example.com\nleaver@example.com\n',
  )
  const saved = join(folder, 'plan.json')
  await sync(`${file} --max-removals 1 --out ${saved}`)
  const plan = JSON.parse(await readFile(saved, 'utf8'))
  const [, leaver] = plan.unchanged
  const member = { ...leaver, email: 'laever@example.com', member_id: 'vmem_000000000000000000000000' }
  await writeFile(saved, JSON.stringify({ ...plan, changes: [{ action: 'remove', member }] }))

  const { stdout } = await sync(`${saved} --apply`)

  expect(stdout).toContain(
    'skipped: nobody was found, because no member has this id. The nearest address is leaver@example.com\n',
  )
  expect(await active()).toHaveLength(2)
})

it('two runs that apply one plan end it once, and neither advises to delete a file that is gone', async () => {
  const { folder, file, options, sync } = await prepare([], csvOf(people(1)))
  const saved = join(folder, 'plan.json')
  await sync(`${file} --out ${saved}`)
  let isFirst = true
  const other: Awaited<ReturnType<typeof runCli>>[] = []
  const fetch: typeof globalThis.fetch = async (...request) => {
    const runs = isFirst
    isFirst = false
    if (runs) other.push(await runCli(`members sync ${saved} --apply`, options))
    return await (options.fetch ?? globalThis.fetch)(...request)
  }

  const { status, stderr } = await sync(`${saved} --apply`, { fetch })

  expect([other[0]?.status, status]).toEqual([0, 0])
  expect(stderr).toContain(
    `The plan is done, and its file is gone: another run has probably renamed it to ${saved}.applied.\n`,
  )
})

it('a failure is printed next to its change, with the command that makes what is left', async () => {
  const { emulator, file, sync } = await prepare(people(3), csvOf(people(1)))
  emulator.faults.add({ match: 'members.remove', status: 400, code: 'invalid_request', times: 1 })

  const { status, stdout, stderr } = await sync(`${file} --apply --max-removals 2`)

  expect(status).toBe(3)
  expect(stdout).toMatch(/^- person1@example\.com {2}failed: members\.remove: 400 invalid_request/)
  expect(stderr).toContain('1 done, 0 skipped, 0 kept, 1 failed, 0 pending')
  expect(stderr).toContain(`To make the changes that are left, run: npx identity-service-sdk members sync ${file}`)
})

it('a failure is printed with another file for the next report', async () => {
  const { emulator, file, folder, sync } = await prepare([], csvOf(people(1)))
  emulator.faults.add({ match: 'members.add', status: 400, code: 'invalid_request', times: 1 })
  const { status, stderr } = await sync(`${file} --apply --out ${join(folder, 'report.csv')}`)
  expect([status, stderr]).toEqual([
    3,
    expect.stringContaining('run the same command again with another file for --out.'),
  ])
})

/** Starts a sync that is interrupted at the end of a writing call. */
function interruptedAt(call: number, interrupts: number, prepared: Awaited<ReturnType<typeof prepare>>) {
  const { file, options, written } = prepared
  const running = startCli(`members sync ${file} --apply --json`, {
    ...options,
    fetch: async (...request) => {
      const before = written()
      const response = await (options.fetch ?? globalThis.fetch)(...request)
      if (written() === before || written() < call) return response
      for (let i = 0; i < interrupts; i++) running.interrupt()
      request[1]?.signal?.throwIfAborted()
      return response
    },
  })
  return running
}

it('Ctrl-C waits for the current call and reports all of it, and the next run adds the others', async () => {
  const prepared = await prepare([], csvOf(people(1234)))
  const running = interruptedAt(2, 1, prepared)

  const status = await running.status
  const next = await prepared.sync(`${prepared.file} --apply --json`)

  expect([status, JSON.parse(running.stdout).summary]).toEqual([
    130,
    { done: 1000, skipped: 0, kept: 0, failed: 0, pending: 234 },
  ])
  expect(running.stderr).toBe('Stopping after the current call. Press Ctrl-C again to stop now.\n')
  expect(JSON.parse(next.stdout).summary).toEqual({ done: 234, skipped: 0, kept: 0, failed: 0, pending: 0 })
  expect(prepared.written()).toBe(3)
  expect(running.interruptListeners).toBe(0)
})

it('a second Ctrl-C ends the current call, and the next run adds whom it has not added', async () => {
  const prepared = await prepare([], csvOf(people(600)))
  const running = interruptedAt(2, 2, prepared)

  const status = await running.status
  const next = await prepared.sync(`${prepared.file} --apply --json`)

  expect([status, JSON.parse(running.stdout).summary]).toEqual([
    130,
    { done: 500, skipped: 0, kept: 0, failed: 0, pending: 100 },
  ])
  // The service had executed the call.
  expect([next.status, JSON.parse(next.stdout).summary.done]).toEqual([0, 0])
  expect(await prepared.active()).toHaveLength(600)
})

it('shows a progress bar on a terminal, clears it, and shows none elsewhere', async () => {
  const { file, sync } = await prepare([], csvOf(people(3)))
  const shown = await sync(`${file} --apply`, { terminals: ['stderr'] })
  expect(shown.stderr).toContain('3/3\r\u001b[K')
  const piped = await sync(`${file} --apply`)
  expect(piped.stderr).not.toMatch(/(?!\n)\p{Cc}/u)
})

it('if the report of changes that were made cannot be written, it is printed', async () => {
  const { file, folder, sync, active } = await prepare([], 'email\nada@example.com\n')
  const report = join(folder, 'report.csv')
  const anyFile = await open(file)
  const write = vi.spyOn(Object.getPrototypeOf(anyFile), 'writeFile')
  write.mockRejectedValueOnce(Object.assign(new Error('write'), { code: 'ENOSPC' }))
  await anyFile.close()

  const { status, stdout, stderr } = await sync(`${file} --apply --invite face --no-notify --out ${report}`)
  write.mockRestore()

  expect([status, await active()]).toEqual([2, ['ada@example.com']])
  expect(stdout).toMatch(/^\+ ada@example\.com\s+https?:\S+$/m)
  expect(stderr).toContain(
    `--out: ${report} cannot be written, because the disk is full. Free some space. The report is in the output above.`,
  )
})

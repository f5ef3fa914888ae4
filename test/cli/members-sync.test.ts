import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OrgClient } from '../../src/index.ts'
import { people } from '../org/emulated-org.ts'
import { type CliOptions, emulated, runCli, startCli, temporaryFolder } from './terminal.ts'

type EmulatorOptions = NonNullable<Parameters<typeof emulated>[0]>

const inactive = (members: readonly { email: string }[]) =>
  members.map((one) => ({ ...one, status: 'deactivated' as const }))
const csvOf = (rows: readonly { email: string }[]) =>
  `email\n${rows.map(({ email }) => `${email}\n`).join('')}`

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
  const sync = (args: string, more: CliOptions = {}) =>
    runCli(`members sync ${args}`, { ...options, ...more })
  return { active, emulator, folder, file, options, sync, written }
}

const everyone = people(40)
const roster = [...everyone.slice(0, 30), ...inactive(everyone.slice(30))]
const desired = [...everyone.slice(0, 25), ...everyone.slice(30, 34), ...people(3, 100)]

it('--plan prints a line for each change and their counts, and sends nothing', async () => {
  const { file, sync, written } = await prepare(
    [{ email: 'ada@example.com' }, { email: 'bo@example.com', first_name: 'Bo', status: 'deactivated' }],
    'email,first_name,last_name,role\nBO@example.com,Bo,,\ncy@example.com,Cy,Example,developer\n',
  )

  const { status, stdout, stderr } = await sync(`${file} --plan`)

  expect(status).toBe(0)
  expect(stdout.split('\n')).toEqual([
    '+ cy@example.com  Cy Example  developer',
    '~ bo@example.com  Bo  reactivate',
    '- ada@example.com',
    '',
  ])
  expect(stderr.split('\n')).toEqual([
    '1 to add, 1 to reactivate, 1 to remove, 0 unchanged, 0 conflicts',
    'Nothing was sent.',
    `To make these changes, run: npx identity-service-sdk members sync ${file} --apply --max-removals 1`,
    '',
  ])
  expect(written()).toBe(0)
})

it('--apply makes the changes, and a second run has none left', async () => {
  const { active, file, sync } = await prepare(roster, csvOf(desired))

  const first = await sync(`${file} --apply --max-removals 5 --json`)
  const second = await sync(`${file} --apply --max-removals 5`)

  expect(first.status).toBe(0)
  expect(JSON.parse(first.stdout).summary).toEqual({ done: 12, skipped: 0, failed: 0, pending: 0 })
  expect([second.status, second.stdout, second.stderr]).toEqual([
    0,
    '',
    '0 done, 0 skipped, 0 failed, 0 pending\n',
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
  const nights = [await sync(`${file} --apply --max-removals 1`), await sync(`${file} --plan`)]

  expect([first.status, JSON.parse(first.stdout).summary]).toEqual([
    0,
    { done: 4, skipped: 0, failed: 0, pending: 0 },
  ])
  expect(nights).toMatchObject([
    { status: 0, stdout: '', stderr: '0 done, 0 skipped, 0 failed, 0 pending\n' },
    {
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('0 to add, 0 to reactivate, 0 to remove, 6 unchanged'),
    },
  ])
  expect(written()).toBe(writes)
  expect(emulator.requests.filter(({ operation }) => operation === 'members.add')).toHaveLength(1)
})

it('a person whom the service reports as a duplicate is skipped, and the exit status is 0', async () => {
  const { emulator, folder, file, sync } = await prepare([], csvOf(people(1)))
  const saved = join(folder, 'plan.json')
  await writeFile(saved, (await sync(`${file} --plan --json`)).stdout)
  const { members } = new OrgClient(emulator.options.org)
  await members.add({ members: [{ email: 'person0@example.com', role: 'developer' }] })

  const { status, stdout } = await sync(`${saved} --apply`)

  expect([status, stdout]).toEqual([0, '+ person0@example.com  skipped: the person is a member already\n'])
})

it('a plan of a permanent removal says "delete permanently" wherever it is printed', async () => {
  const { folder, file, sync } = await prepare(people(2), csvOf(people(1)))
  const saved = join(folder, 'plan.json')
  await writeFile(saved, (await sync(`${file} --plan --permanent --json`)).stdout)

  for (const target of [`${file} --permanent`, saved]) {
    const { stdout, stderr } = await sync(`${target} --plan`)
    expect(stdout).toBe('- person1@example.com  delete permanently\n')
    expect(stderr).toContain('0 to add, 0 to reactivate, 1 to delete permanently, ')
    expect((await sync(`${target} --apply`)).stderr).toContain('1 members would be deleted permanently')
  }
  const applied = await sync(`${saved} --apply --max-removals 1`)
  expect([applied.status, applied.stdout]).toEqual([0, '- person1@example.com  delete permanently\n'])
})

it('a plan that was edited to name another person removes nobody, and says why', async () => {
  const { active, folder, file, sync } = await prepare(people(2), csvOf(people(1)))
  const saved = join(folder, 'plan.json')
  const { stdout } = await sync(`${file} --plan --max-removals 1 --json`)
  await writeFile(saved, stdout.replaceAll('person1@', 'ada@'))

  const applied = await sync(`${saved} --apply`)

  expect([applied.status, applied.stdout]).toEqual([
    0,
    '- ada@example.com  skipped: the member has another email than the plan says. Make the plan again\n',
  ])
  expect(await active()).toHaveLength(2)
})

it('the command that a plan prints makes its changes', async () => {
  const { active, folder, file, sync } = await prepare(people(3), csvOf(people(1)))
  const saved = join(folder, 'plan.json')
  await writeFile(saved, (await sync(`${file} --plan --json`)).stdout)
  const hints = [await sync(`${file} --plan`), await sync(`${saved} --plan`)].map(
    ({ stderr }) => /run: npx identity-service-sdk members sync (.*)/.exec(stderr)?.[1] ?? '',
  )

  const runs = []
  for (const hint of hints) runs.push(await sync(hint))

  expect(hints).toEqual([`${file} --apply --max-removals 2`, `${saved} --apply --max-removals 2`])
  expect(runs.map(({ status }) => status)).toEqual([0, 0])
  expect(await active()).toEqual(['person0@example.com'])
})

it('a plan that is saved with --json is applied later, and printed again', async () => {
  const { folder, file, sync, written } = await prepare(roster, csvOf(desired))
  const saved = join(folder, 'plan.json')
  await writeFile(saved, (await sync(`${file} --plan --max-removals 5 --json`)).stdout)

  const review = await sync(`${saved} --plan`)
  const applied = await sync(`${saved} --apply`)

  expect(review.stdout.split('\n')).toHaveLength(13)
  expect([applied.status, written()]).toEqual([0, 1 + 4 + 5])
  expect(existsSync(`${saved}.journal`)).toBe(false)
})

it('a saved plan that was interrupted is resumed without one write twice', async () => {
  const { emulator, folder, file, sync, written } = await prepare(roster, csvOf(desired))
  const saved = join(folder, 'plan.json')
  await writeFile(saved, (await sync(`${file} --plan --max-removals 5 --json`)).stdout)
  emulator.faults.add({ match: 'members.remove', status: 401, code: 'invalid_client', times: 1 })

  const first = await sync(`${saved} --apply --json`)
  const journal = await readFile(`${saved}.journal`, 'utf8')
  const mode = (await stat(`${saved}.journal`)).mode & 0o777
  const second = await sync(`${saved} --apply --json`)

  expect(first.status).toBe(3)
  expect(JSON.parse(first.stdout)).toMatchObject({
    summary: { done: 7, skipped: 0, failed: 1, pending: 4 },
    resume_command: `npx identity-service-sdk members sync ${saved} --apply --json`,
  })
  expect([journal.includes('@'), mode]).toEqual([false, 0o600])
  expect(second.status).toBe(0)
  expect(JSON.parse(second.stdout).summary).toEqual({ done: 5, skipped: 7, failed: 0, pending: 0 })
  expect(written()).toBe(1 + 4 + 1 + 5)
  expect(existsSync(`${saved}.journal`)).toBe(false)
})

it.each([
  ['an empty file', '', 'The file is empty'],
  ['a file without rows', 'email\n', 'The file has no rows'],
  ['a file without the column', 'mail\nperson0@example.com\n', 'does not name the column email'],
  ['another column under that name', 'email\n42\n43\n', 'Line 2: email is not an email address (and 1 more)'],
  [
    'a row twice',
    'email\nperson0@example.com\nPERSON0@example.com\n',
    'Line 3: the row same email as line 2',
  ],
  [
    'an invisible character in an email',
    'email\nperson0@exam\u200bple.com\n',
    'Line 2: email contains the invisible or control character U+200B',
  ],
  ['half of the file', csvOf(people(15)), '15 members would be removed, and --max-removals is 5'],
  ['a file that ends in a cell', 'email,first_name\nperson0@example.com,"An', 'a quote is not closed'],
])('%s removes nobody', async (_, csv, message) => {
  const { file, sync, written } = await prepare(people(30), csv)

  const { status, stderr } = await sync(`${file} --apply --max-removals 5`)

  expect([status, written()]).toEqual([2, 0])
  expect(stderr).toContain(message)
})

it.each([
  ['neither --plan nor --apply', '', 'Pass either --plan'],
  ['both', '--plan --apply', 'Pass either --plan'],
])('%s is an error', async (_, flags, message) => {
  const { file, sync } = await prepare([], csvOf(people(1)))
  const { status, stderr } = await sync(`${file} ${flags}`.trim())
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
})

it('a saved plan does not take --permanent', async () => {
  const { folder, file, sync } = await prepare(roster, csvOf(desired))
  const saved = join(folder, 'plan.json')
  await writeFile(saved, (await sync(`${file} --plan --json`)).stdout)

  const { status, stderr } = await sync(`${saved} --apply --permanent`)

  expect([status, stderr]).toEqual([2, expect.stringContaining('--permanent is a part of a saved plan')])
})

it.each([
  '{}',
  '{"changes":[]}',
  '{"changes":[{"action":"erase"}],"unchanged":[],"conflicts":[]}',
  '{"changes":[{"action":"remove"}],"unchanged":[],"conflicts":[]}',
])('JSON that is not a plan is rejected: %s', async (json) => {
  const { file, sync, written } = await prepare(people(2), json)
  for (const flag of ['--plan', '--apply']) {
    const { status, stderr } = await sync(`${file} ${flag}`)
    expect([status, stderr]).toEqual([2, expect.stringContaining('not a plan of "members sync"')])
  }
  expect(written()).toBe(0)
})

it('a failure is printed next to its change, with the command that makes what is left', async () => {
  const { emulator, file, sync } = await prepare(people(3), csvOf(people(1)))
  emulator.faults.add({ match: 'members.remove', status: 400, code: 'invalid_request', times: 1 })

  const { status, stdout, stderr } = await sync(`${file} --apply --max-removals 2`)

  expect(status).toBe(3)
  expect(stdout).toMatch(/^- person1@example\.com {2}failed: members\.remove: 400 invalid_request/)
  expect(stderr).toContain('1 done, 0 skipped, 1 failed, 0 pending')
  expect(stderr).toContain(
    `To make the changes that are left, run: npx identity-service-sdk members sync ${file}`,
  )
})

it('after Ctrl-C, the changes that were made are reported, and the next run makes the others', async () => {
  const { active, emulator, file, sync, options } = await prepare(
    people(3),
    csvOf([...people(1), ...people(1, 9)]),
  )
  emulator.faults.add({ match: 'members.remove', delayMs: 60_000, times: 1 })

  const running = startCli(`members sync ${file} --apply --max-removals 2 --json`, options)
  await expect.poll(active).toContain('person9@example.com')
  running.interrupt()
  const status = await running.status
  const next = await sync(`${file} --apply --max-removals 2 --json`)

  expect(status).toBe(130)
  expect(JSON.parse(running.stdout).summary).toEqual({ done: 1, skipped: 0, failed: 0, pending: 2 })
  expect(JSON.parse(next.stdout).summary).toEqual({ done: 2, skipped: 0, failed: 0, pending: 0 })
  expect(running.interruptListeners).toBe(0)
})

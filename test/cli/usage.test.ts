// Misspelled on purpose: cspell:ignore doctr froce invtie sned

import { expect, it } from 'vitest'
import { publicSettings, secretSettings } from '../../src/cli/env-settings.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { runCli } from './terminal.ts'

const commands = [
  'emulator',
  'webhook send',
  'webhook verify',
  'members export',
  'members sync',
  'explain',
  'doctor',
  'openapi',
]

it('the help names every command, every setting and every exit status', async () => {
  const { status, stdout, stderr } = await runCli('--help')
  expect([status, stderr]).toEqual([0, ''])
  for (const command of commands) expect(stdout.match(new RegExp(`^ {2}${command} `, 'gm')), command).toHaveLength(1)
  for (const { status: code, meaning } of Object.values(exitCodes)) expect(stdout).toContain(`${code}  ${meaning}`)
  for (const name of [...publicSettings, ...secretSettings]) expect(stdout).toContain(name)
})

it.each(commands)(
  'the help of %s has an example and --json, and names the help that lists the rest',
  async (command) => {
    const { status, stdout, stderr } = await runCli(`${command} --help`)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`$ npx identity-service-sdk ${command}`)
    expect(stdout).toContain('--json')
    expect(stdout).toMatch(/\n\nFor (?:settings and )?exit statuses, run: npx identity-service-sdk --help\n$/)
    for (const { meaning } of Object.values(exitCodes)) expect(stdout).not.toContain(meaning)
  },
)

it.each(['members export', 'members sync'])('the help of %s describes how formulas are escaped', async (command) => {
  expect((await runCli(`${command} --help`)).stdout).toMatch(/Where a text could start a formula, ' is put before it/)
})

it('the version is that of the package', async () => {
  expect(await runCli('--version')).toEqual({ status: 0, stdout: '0.0.0-test\n', stderr: '' })
})

it.each([
  'nonsense',
  'explain',
  'explain a b',
  'explain a --nonsense',
  'webhook',
  'webhook send --type verification.approved',
  'webhook send --to https://app.example --type nonsense',
  'webhook send --to https://app.example --type verification.approved --late --bad-signature',
  'webhook verify --body -',
  'emulator --port 65536',
  'emulator --port x',
  'members sync',
  'members import people.csv',
  'members sync people.csv --plan',
  'members sync people.csv --invite pigeon',
  'members sync people.csv --remove everyone',
  'emulator exec -- true',
])('rejects "%s" with status 2 and writes to stderr only', async (command) => {
  const { status, stdout, stderr } = await runCli(command, {
    env: { SVC_WEBHOOK_SECRET: 'a webhook secret' },
  })
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).not.toBe('')
})

it.each(['explain a --nonsense', 'members sync missing.csv', 'emulator --port x', 'doctor --env-from missing.env'])(
  'prints the error of "%s --json" as one line of JSON',
  async (command) => {
    const { status, stdout, stderr } = await runCli(`${command} --json`)
    expect([status, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toEqual({
      error: { code: expect.any(String), message: expect.stringMatching(/./) },
      exit_status: 2,
    })
  },
)

it.each([
  [['webhook', 'send', '--secret', 'canary-1234']],
  [['webhook', 'send', '--secret=canary-1234']],
  [['members', 'export', '--api-key=canary-1234']],
])('rejects a secret in the arguments and does not print it: %j', async (args) => {
  const { status, stdout, stderr } = await runCli(args)
  expect(status).toBe(2)
  expect(stderr).toMatch(/--env-from|Unknown option '--api-key'/)
  expect(stdout + stderr).not.toContain('canary')
})

it.each([
  ['doctr', "Unknown command 'doctr'. Did you mean doctor?", '--help'],
  ['members list', "Unknown command 'list'. Did you mean members export or members sync?", 'members --help'],
  ['webhook check', "Unknown command 'check'. Did you mean webhook send or webhook verify?", 'webhook --help'],
  ['export', "Unknown command 'export'. Did you mean members export?", '--help'],
  [
    'nonsense',
    "Unknown command 'nonsense'. Did you mean dev, emulator, webhook, members, explain, doctor, or openapi?",
    '--help',
  ],
  ['webhook sned', "Unknown command 'sned'. Did you mean send?", 'webhook --help'],
  ['members sync a.csv --froce', "Unknown option '--froce'. Did you mean --force?", 'members sync --help'],
  [
    'members sync a.csv --invtie=the-longest-way-to-invite',
    "Unknown option '--invtie'. Did you mean --invite?",
    'members sync --help',
  ],
  ['explain', "Missing required argument 'code'.", 'explain --help'],
])('names what is wrong with "%s", the nearest name, and the help to read', async (command, message, help) => {
  const { status, stderr } = await runCli(command)
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining(`error: ${message}\nFor details, run: npx identity-service-sdk ${help}\n`),
  ])
  const json = await runCli(`${command} --json`)
  expect(JSON.parse(json.stderr)).toEqual({ error: { code: 'usage', message }, exit_status: 2 })
})

it('prints the help and the names of the commands if the command is missing', async () => {
  const { status, stdout, stderr } = await runCli('webhook')
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^Usage: .*\nerror: A command is missing: send, verify\.\n$/s)
})

it('prints the value that a number option rejects', async () => {
  const { stderr } = await runCli('emulator --port 80000')
  expect(stderr).toContain('--port must be a whole number from 0 to 65535, not "80000".')
})

it.each([
  ['members sync members.csv', 'members.csv does not exist. Check the path.', 'ENOENT'],
  ['members sync .', '. is a folder. Pass a file.', 'EISDIR'],
  ['doctor --env-from prod.env', '--env-from: prod.env does not exist. Check the path.', 'ENOENT'],
  ['webhook verify --headers a --body b.json', '--body: b.json does not exist. Check the path.', 'ENOENT'],
  [
    'webhook verify --header-file h.txt --body b.json',
    '--header-file: h.txt does not exist. Check the path.',
    'ENOENT',
  ],
])('names the file that "%s" cannot read, and its option, with status 2', async (command, message, code) => {
  const { status, stdout, stderr } = await runCli(`${command} --json`, {
    env: { SVC_WEBHOOK_SECRET: 'a webhook secret' },
  })
  expect([status, stdout, JSON.parse(stderr)]).toEqual([2, '', { error: { code, message }, exit_status: 2 }])
})

it.each([[], ['--json']])(
  'does not repeat what has not the form of a code, which may be a secret',
  async (...flags) => {
    const { stdout, stderr } = await runCli(['explain', 'sk_live_Canary-1234', ...flags])
    expect(stdout + stderr).toMatch(/this code|"code": null/)
    expect(stdout + stderr).not.toMatch(/canary/i)
  },
)

it.each([
  [['stdout'], {}, true],
  [['stdout'], { NO_COLOR: '1' }, false],
  [['stdout'], { NO_COLOR: '' }, true],
  [['stdout'], { TERM: 'dumb' }, false],
  [[], {}, false],
  [['stderr'], {}, false],
] as const)('colors stdout only if it is a terminal: terminals %j with %j', async (terminals, env, colored) => {
  const { stdout } = await runCli('explain not_found', { terminals, env })
  expect(stdout.includes('\u001b[')).toBe(colored)
})

import { expect, it } from 'vitest'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { runCli } from './terminal.ts'

const commands = [
  'emulator',
  'webhook send',
  'webhook verify',
  'members import',
  'members export',
  'explain',
  'doctor',
]

it('the help names every command and every exit status', async () => {
  const { status, stdout, stderr } = await runCli('--help')
  expect([status, stderr]).toEqual([0, ''])
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'))
  for (const { status: code, meaning } of Object.values(exitCodes))
    expect(stdout).toContain(`${code}  ${meaning}`)
})

it.each(commands)('the help of %s has an example, --json and every exit status', async (command) => {
  const { status, stdout, stderr } = await runCli(`${command} --help`)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`$ identity-service ${command}`)
  expect(stdout).toContain('--json')
  for (const { meaning } of Object.values(exitCodes)) expect(stdout).toContain(meaning)
})

it.each(['members export', 'members import'])(
  'the help of %s describes how formulas are escaped',
  async (command) => {
    expect((await runCli(`${command} --help`)).stdout).toMatch(/a cell that begins with = \+ - @ or a tab/)
  },
)

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
  'emulator --host 0.0.0.0',
  'members import',
  'members import people.csv --invite pigeon',
  'members export --format xml',
])('rejects "%s" with status 2 and writes to stderr only', async (command) => {
  const { status, stdout, stderr } = await runCli(command, {
    env: { SVC_WEBHOOK_SECRET: 'a webhook secret' },
  })
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).not.toBe('')
})

it.each([
  'explain a --nonsense',
  'members import missing.csv',
  'emulator --port x',
  'doctor --env-from missing.env',
])('prints the error of "%s --json" as one line of JSON', async (command) => {
  const { status, stdout, stderr } = await runCli(`${command} --json`)
  expect([status, stdout]).toEqual([2, ''])
  expect(JSON.parse(stderr)).toEqual({
    error: { code: expect.any(String), message: expect.stringMatching(/./) },
    exit_status: 2,
  })
})

it.each([
  [['webhook', 'send', '--secret', 'canary-1234']],
  [['webhook', 'send', '--secret=canary-1234']],
  [['members', 'export', '--api-key=canary-1234']],
])('rejects a secret in the arguments and does not print it: %j', async (args) => {
  const { status, stdout, stderr } = await runCli(args)
  expect(status).toBe(2)
  expect(stderr).toMatch(/--env-from|unknown option '--api-key'/)
  expect(stdout + stderr).not.toContain('canary')
})

it('masks a secret of the environment in all output', async () => {
  const { stdout, stderr } = await runCli(['explain', 'canary-1234'], { env: { SVC_API_KEY: 'canary-1234' } })
  expect(stderr).toContain('[secret]')
  expect(stdout + stderr).not.toContain('canary-1234')
})

it.each([
  [['stdout'], {}, true],
  [['stdout'], { NO_COLOR: '1' }, false],
  [['stdout'], { NO_COLOR: '' }, true],
  [['stdout'], { TERM: 'dumb' }, false],
  [[], {}, false],
  [['stderr'], {}, false],
] as const)(
  'colors stdout only if it is a terminal: terminals %j with %j',
  async (terminals, env, colored) => {
    const { stdout } = await runCli('explain not_found', { terminals, env })
    expect(stdout.includes('\u001b[')).toBe(colored)
  },
)

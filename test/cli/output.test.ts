import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seed, tried, tries } from '../attack/size.ts'
import { emulated, runCli, temporaryFolder } from './terminal.ts'

const between = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCharCode(from + i)).join('')

/** Characters that a terminal executes or that change the order of a text, without line breaks. */
const controls = `${between(0x01, 0x09)}\u000b\u000c${between(0x0e, 0x1f)}${between(0x7f, 0x9f)}`
const bidi = `\u061c\u200e\u200f${between(0x202a, 0x202e)}${between(0x2066, 0x2069)}`
const hostile = `a\u001b]0;owned\u0007\u001b[2J${controls}${bidi}z`

const raw = /(?!\r?\n)[\p{Cc}\p{Bidi_Control}]/u

const secret = 'a webhook secret'
const send = ['webhook', 'send', '--to', 'http://localhost/', '--type', 'verification.approved']

/** A command, and what it reads from outside. */
async function programs(name: string) {
  const folder = await temporaryFolder()
  const file = join(folder, 'people.csv')
  await writeFile(file, `email,"${name}"\n"${name}",\n`)
  const { env, fetch } = emulated({
    members: [{ email: 'ada@example.com', first_name: `${name}\r\n` }],
    org: { name },
  })
  const respond = (status: number) => ({
    env,
    fetch: async () => {
      const error = { code: 'not_found', message: name }
      return Response.json({ success: false, data: null, error, [name]: name }, { status })
    },
  })
  const respondText = { env: { SVC_WEBHOOK_SECRET: secret }, fetch: async () => new Response(name) }
  return [
    { args: ['explain', name], options: {} },
    { args: [name], options: {} },
    { args: ['members', 'export', `--${name}`], options: {} },
    { args: ['emulator', '--port', name], options: {} },
    { args: ['doctor', '--env-from', join(folder, name)], options: {} },
    { args: ['members', 'import', file, '--dry-run'], options: {} },
    { args: ['members', 'export'], options: { env, fetch } },
    { args: ['members', 'export', '--json'], options: { env, fetch } },
    { args: ['members', 'export'], options: respond(404) },
    { args: ['doctor'], options: { env, fetch } },
    { args: [...send, '--vendor-data', name], options: respondText },
    { args: send, options: respond(500) },
    {
      args: ['webhook', 'verify', '--body', '-', '--headers', `x-svc-signature: ${name}`],
      options: { env: { SVC_WEBHOOK_SECRET: secret } },
    },
  ]
}

/** Texts of any characters. The name of a file cannot have a NUL or a slash, and is not long. */
const others = fc.sample(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `a${text.replaceAll(/[\0/]/g, '\u001b')}`),
  { seed, numRuns: tries(2, 200) },
)

it('no command prints control or bidi characters from outside, neither as text nor as JSON', async () => {
  let count = 0
  const all = await Promise.all([hostile, ...others].map(programs))
  for (const { args, options } of all.flat())
    for (const flags of [[], ['--json']]) {
      count += 1
      const { status, stdout, stderr } = await runCli([...args, ...flags], options)

      expect(status, args.join(' ')).not.toBe(70)
      expect(stdout + stderr, args.join(' ')).not.toMatch(raw)
    }
  tried(count, 'runs of the command with hostile texts')
})

it('escapes the characters as \\uXXXX, which a parser of JSON reads as they were', async () => {
  const options = {
    env: { SVC_WEBHOOK_SECRET: secret },
    fetch: async () => new Response('\u001b[2J\u009b\u202e'),
  }
  const text = await runCli(send, options)
  const json = await runCli([...send, '--json'], options)

  expect(text.stdout).toContain(String.raw`\u001b[2J\u009b\u202e`)
  expect(json.stdout).toContain(String.raw`\u001b[2J\u009b\u202e`)
  expect(JSON.parse(json.stdout).responses[0].body).toBe('\u001b[2J\u009b\u202e')
})

it('on a terminal, the only escape sequences are the styles of the command itself', async () => {
  const { stderr } = await runCli(['explain', '\u001b[5m\u001b]0;x\u0007'], { terminals: ['stderr'] })

  const [red, reset] = ['\u001b[31m', '\u001b[39m']
  expect(stderr).toContain(`${red}error${reset}: `)
  expect(stderr.replaceAll(red, '').replaceAll(reset, '')).not.toMatch(raw)
})

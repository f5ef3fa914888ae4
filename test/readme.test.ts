import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulator, type EmulatorServer } from '../src/emulator.ts'
import { type InstalledPackage, installPackage } from './support/installed-package.ts'

const emulator = createEmulator()
let installed: InstalledPackage
let service: EmulatorServer
let blocks: ReadonlyMap<string, string>

beforeAll(async () => {
  installed = await installPackage()
  service = await emulator.listen()
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const found = readme.matchAll(/^## (?<heading>.+)$(?:(?!^## )[\s\S])*?^```js\n(?<source>[\s\S]*?)^```$/gm)
  blocks = new Map([...found].map(({ groups }) => [String(groups?.heading), String(groups?.source)]))
}, 60_000)

afterAll(async () => {
  await service.close()
  await installed.remove()
})

const environment = (more: Record<string, string> = {}) => ({
  SVC_BASE_URL: service.url,
  SVC_API_KEY: emulator.options.verification.apiKey,
  SVC_ORG_BASE_URL: service.url,
  SVC_CLIENT_ID: emulator.options.oidc.clientId,
  SVC_CLIENT_SECRET: emulator.options.oidc.clientSecret,
  WEBHOOK_SECRET: emulator.webhooks.secret,
  COOKIE_SECRET: 'a secret of thirty-two characters',
  ...more,
})

function block(heading: string): string {
  const source = blocks.get(heading)
  if (source === undefined) throw new Error(`the README has no code under "${heading}"`)
  return source
}

const runBlock = (heading: string, more?: Record<string, string>) =>
  installed.run('block.mjs', block(heading), environment(more))

async function aSession(callback?: string): Promise<string> {
  const response = await fetch(`${service.url}/api/v2/session`, {
    method: 'POST',
    headers: { 'x-api-key': emulator.options.verification.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow_id: 'wf_identity', vendor_data: 'user-42', callback }),
  })
  const { data } = (await response.json()) as { data: { session_id: string } }
  return data.session_id
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function answers(port: number, program: ChildProcess): Promise<void> {
  while (program.exitCode === null) {
    const reached = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (reached) return
  }
  throw new Error('the program ended before it listened')
}

it('every code block of the README is run by a test of this file', () => {
  expect([...blocks.keys()]).toEqual([
    'The first call',
    'Receive the webhook',
    'Check a document at once',
    'Sign people in',
    'Keep the roster',
    'Errors',
    'Retries and money',
    'Test your own app',
    'Test with MSW',
  ])
})

it('the README names commands that exist', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  const commands = [...readme.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command]) => command)
  expect(commands).toEqual([
    'npm ci && npm run quickstart',
    'npm ci && npm test',
    'npm install identity-service-sdk',
  ])
  expect(scripts).toMatchObject({ quickstart: expect.any(String), test: expect.any(String) })
})

it('the first call of the README creates a session', async () => {
  expect(await runBlock('The first call')).toMatch(`send the person to ${service.url}/s/`)
})

/** Runs a block that listens, for as long as the visit takes. @returns what it printed */
async function whileServing(heading: string, visit: (port: number) => Promise<void>): Promise<string> {
  const port = await freePort()
  await writeFile(join(installed.project, 'app.mjs'), block(heading))
  const program = spawn(process.execPath, ['app.mjs'], {
    cwd: installed.project,
    env: { ...process.env, ...environment({ PORT: String(port) }) },
  })
  let output = ''
  program.stdout.on('data', (chunk) => {
    output += chunk
  })
  try {
    await answers(port, program)
    await visit(port)
  } finally {
    program.kill()
    await once(program, 'close')
  }
  return output
}

it('the webhook handler of the README receives a signed event', async () => {
  const output = await whileServing('Receive the webhook', async (port) => {
    const id = await aSession(`http://127.0.0.1:${port}/webhooks`)
    await emulator.sessions.complete(id, 'APPROVED')
  })
  expect(output).toBe('user-42 APPROVED 3\n')
})

it('the app of the README signs a person in', async () => {
  await whileServing('Sign people in', async (port) => {
    const login = await fetch(`http://127.0.0.1:${port}/login`, { redirect: 'manual' })
    const callback = emulator.signIn.approve(String(login.headers.get('location')))
    const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string
    const home = await fetch(callback, { headers: { cookie } })
    expect(await home.text()).toMatch(/^hello \w+$/)
  })
})

it('the roster of the README adds, resolves and removes', async () => {
  expect(await runBlock('Keep the roster')).toBe('2 added, 0 skipped\n0 seats\n')
})

it('the document check of the README reads a file', async () => {
  const image = join(installed.project, 'front.jpg')
  await writeFile(image, new Uint8Array([0xff, 0xd8, 0xff, 0xe0]))
  expect(await runBlock('Check a document at once', { IMAGE: image })).toMatch(/^[A-Z]+\n$/)
})

it('the error handling of the README tells a decided session', async () => {
  const id = await aSession()
  await emulator.sessions.complete(id, 'DECLINED')
  expect(await runBlock('Errors', { SESSION_ID: id })).toBe('it is DECLINED for good\n')
})

it('the retry of the README is charged once', async () => {
  const before = emulator.ledger.length
  emulator.faults.add({ match: 'checks.age', reset: true, when: 'after', times: 1 })
  expect(await runBlock('Retries and money')).toBe('passed\n')
  expect(emulator.ledger.length - before).toBe(1)
})

it('the emulator of the README answers in the process', async () => {
  expect(await runBlock('Test your own app')).toBe('APPROVED\ncharged 1 time\n')
})

it('the tests with MSW of the README reach the emulator at a base URL of their own', async () => {
  expect(await runBlock('Test with MSW')).toBe('true 1\n')
})

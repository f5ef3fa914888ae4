// Runs the emulator and one example until Ctrl-C: `npm run example express`. To run an example with the real service, use
// its own command, which its README names.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEmulator } from 'identity-service-sdk/emulator'

const { PORT = '3000' } = process.env
const run = (program: string, ...args: string[]) => ['node', '--import', 'tsx', program, ...args]
const server = [run('server.ts')]
const programs = new Map([
  ['express', server],
  ['next', [['next', 'dev', '--port', PORT]]],
  ['workers', [run('serve.ts')]],
  ['sign-in', server],
  ['better-auth', server],
  ['roster', [run('sync.ts', 'people.csv')]],
  ['bulk-credentials', [run('worker.ts'), run('enqueue.ts', 'licenses.csv')]],
  ['event-queues', [run('server.ts'), run('worker.ts')]],
  ['complete-app', [run('server.ts'), run('worker.ts')]],
])

const [name = ''] = process.argv.slice(2)
const commands = programs.get(name)
if (!commands) {
  console.error(`usage: npm run example ${[...programs.keys()].join('|')}`)
  process.exit(2)
}
const cwd = fileURLToPath(new URL(`${name}/`, import.meta.url))
if (existsSync(`${cwd}package.json`) && !existsSync(`${cwd}node_modules`)) {
  execFileSync('npm', ['ci', '--prefix', cwd], { stdio: 'inherit' })
}

const emulator = createEmulator()
const service = await emulator.listen()
const { verification, oidc } = emulator.options
const secret = () => randomBytes(32).toString('base64url')
const env = {
  ...process.env,
  SVC_BASE_URL: service.url,
  SVC_ORG_BASE_URL: service.url,
  SVC_API_KEY: verification.apiKey,
  SVC_CLIENT_ID: oidc.clientId,
  SVC_CLIENT_SECRET: oidc.clientSecret,
  SVC_WEBHOOK_SECRET: emulator.webhooks.secret,
  SVC_COOKIE_SECRET: secret(),
  BETTER_AUTH_SECRET: secret(),
  SESSION_SECRET: secret(),
  TOKEN_KEY: secret(),
  SVC_EMULATOR_ONLY: '1', // the emulator is meant, also with NODE_ENV=production
  PATH: `${cwd}node_modules/.bin${delimiter}${process.env.PATH}`,
  PORT,
}
console.log(`emulator console: ${service.consoleUrl}`)

const children = commands.map(([command = '', ...args]) => spawn(command, args, { cwd, env, stdio: 'inherit' }))
let isEnding = false
function end(signal: NodeJS.Signals) {
  isEnding = true
  // A terminal sends Ctrl-C to the children too.
  if (signal !== 'SIGINT') for (const child of children) child.kill(signal)
}
const ending = Promise.race(
  (['SIGINT', 'SIGTERM'] as const).map((signal) => once(process, signal).then(() => end(signal))),
)

await Promise.all(
  children.map(async (child) => {
    const [code] = await once(child, 'exit')
    if (isEnding || code === 0) return
    process.exitCode = 1
    end('SIGTERM')
  }),
)
if (!isEnding) {
  console.log('done: see the console for the result; press Ctrl-C to stop the emulator')
  await ending
}
await service.close()

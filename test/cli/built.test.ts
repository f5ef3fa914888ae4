import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { expect, it, onTestFinished } from 'vitest'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { createEmulator } from '../../src/emulator.ts'
import { people } from '../org/emulated-org.ts'
import { connectProxy } from '../support/connect-proxy.ts'
import { makeSelfSigned, selfSigned } from '../support/self-signed.ts'
import { temporaryFolder } from './terminal.ts'

// Built by `npm run outside` before the tests run.
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

interface ExecResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

const execute = (args: readonly string[], env: Record<string, string> = {}): Promise<ExecResult> =>
  new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { env }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    )
  })

/** Starts a command. It is killed when the test ends. */
function spawnCli(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [cli, ...args], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  return { child, exit }
}

it('is the command with the name of the package, is executable, and prints the version', async () => {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(manifest.bin).toEqual({ [manifest.name]: 'dist/cli.js' })
  expect((await readFile(cli, 'utf8')).split('\n')[0]).toBe('#!/usr/bin/env node')
  expect(await execute(['--version'])).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' })
})

it.each([
  [['explain', 'not_found'], 0],
  [['explain', 'qqqqqqqqqqqq'], 1],
  [['members', 'export'], 2],
  [['webhook', 'send', '--to', 'http://127.0.0.1:9/', '--type', 'verification.expired'], 3],
] as const)('%j ends with status %i', async (args, status) => {
  expect((await execute(args, { SVC_WEBHOOK_SECRET: 'a webhook secret' })).status).toBe(status)
})

it('prints no colors if stdout is not a terminal', async () => {
  const { stdout } = await execute(['explain', 'not_found'], { FORCE_COLOR: '', TERM: 'xterm-256color' })
  expect(stdout).not.toContain('\u001b')
})

it.each(['SIGINT', 'SIGTERM'] as const)('%s stops the emulator with status 0', async (signal) => {
  const { child, exit } = spawnCli(['emulator', '--port', '0'])
  await once(child.stdout, 'data')
  child.kill(signal)
  expect(await exit).toEqual([0, null])
})

it.each([
  ['/dev/stdout, which is a pipe', 'sh', (command: string) => ['-c', `${command} --out /dev/stdout | cat`]],
  ['/dev/stderr, which is a pipe', 'sh', (command: string) => ['-c', `${command} --out /dev/stderr 2>&1 | cat`]],
  ['its terminal', 'script', (command: string) => ['-qec', `${command} --out /dev/tty`, '/dev/null']],
])('an export can be written to %s', async (_, program, argsFor) => {
  const emulator = createEmulator({ members: people(3000) })
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const { clientId, clientSecret } = emulator.options.org
  const env = { SVC_ORG_BASE_URL: server.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret }
  const command = `${process.execPath} ${cli} members export`

  const { stdout } = await promisify(execFile)(program, argsFor(command), {
    env: { ...env, PATH: process.env.PATH },
    maxBuffer: 10_000_000,
  })

  expect(stdout).toContain('"person0@example.com"')
  expect(stdout).toContain('"person2999@example.com"')
})

/** The emulator with TLS, at an address to which only tunnels through a proxy lead, and the settings for it. */
async function behindProxy(host = 'id.example.test', certificate = selfSigned) {
  const emulator = createEmulator()
  const listener = getRequestListener((request) => emulator.fetch(request), { overrideGlobalObjects: false })
  const server = createServer(certificate, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy = await connectProxy({ ports: { [`${host}:443`]: port } })
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await proxy.close()
  })
  const folder = await temporaryFolder()
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, certificate.cert)
  const { verification, org } = emulator.options
  const env = {
    SVC_BASE_URL: `https://${host}`,
    SVC_ORG_BASE_URL: `https://${host}`,
    SVC_API_KEY: verification.apiKey,
    SVC_CLIENT_ID: org.clientId,
    SVC_CLIENT_SECRET: org.clientSecret,
    NODE_EXTRA_CA_CERTS: ca,
    HTTPS_PROXY: proxy.url.replace('//', '//user:canary@'),
  }
  return { emulator, proxy, env, folder }
}

it('every request of the doctor uses the proxy of HTTPS_PROXY, whose password is not printed', async () => {
  const { proxy, env } = await behindProxy()

  const { stdout, stderr } = await execute(['doctor', '--json'], env)

  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  const states = findings.map(({ check, status }) => `${check.split(' ')[0]} ${status}`)
  for (const check of ['proxy', 'reach', 'clock', 'keys', 'api', 'organization'])
    expect(states).toContain(`${check} ok`)
  expect(findings).toContainEqual({
    check: 'proxy id.example.test',
    status: 'ok',
    detail: `${new URL(proxy.url).host}, from HTTPS_PROXY`,
  })
  expect(findings).toContainEqual(expect.objectContaining({ check: 'tls id.example.test', status: 'warn' }))
  // For the certificate, the host, the keys, and each of the two clients.
  expect(proxy.tunnels.length).toBeGreaterThan(4)
  expect(new Set(proxy.authorizations)).toEqual(new Set([`Basic ${btoa('user:canary')}`]))
  expect(stdout + stderr).not.toMatch(/canary|Y2FuYXJ5/)
})

it('the doctor compares a certificate behind the proxy with the address of the host', async () => {
  const address = '192.0.2.1'
  const tlsOf = async (certified: string) => {
    const { env } = await behindProxy(address, makeSelfSigned([certified]))
    const { findings } = JSON.parse((await execute(['doctor', '--json'], env)).stdout)
    return (findings as Finding[]).find(({ check }) => check === `tls ${address}`)
  }

  expect(await tlsOf(address)).toMatchObject({ status: 'warn', detail: expect.not.stringContaining('ERR_') })
  expect(await tlsOf('127.0.0.1')).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
  })
})

it('members sync uses the proxy, and ends by itself', async () => {
  const { emulator, proxy, env, folder } = await behindProxy()
  const file = join(folder, 'people.csv')
  await writeFile(file, 'email\nada@example.com\n')

  const { status, stderr } = await execute(['members', 'sync', file, '--apply', '--no-notify'], env)

  expect([status, stderr]).toEqual([0, expect.any(String)])
  expect(proxy.tunnels.length).toBeGreaterThan(0)
  expect(emulator.requests.map(({ operation }) => operation)).toContain('members.add')
})

it('NODE_USE_ENV_PROXY=0 turns the proxy of commands off, and NO_PROXY a host', async () => {
  const { proxy, env } = await behindProxy()
  for (const more of [{ NODE_USE_ENV_PROXY: '0' }, { NO_PROXY: 'example.test' }])
    expect((await execute(['members', 'export'], { ...env, ...more })).status).toBe(3)
  expect(proxy.tunnels).toEqual([])
})

it('a proxy that is not a URL is named, and its value is not printed', async () => {
  const { env } = await behindProxy()
  const { status, stdout } = await execute(['doctor'], { ...env, HTTPS_PROXY: 'canary:3128' })
  expect(status).toBe(1)
  expect(stdout).toMatch(/^fail {2}proxy id\.example\.test: .*HTTPS_PROXY is not the URL of a proxy/m)
  expect(stdout).not.toContain('canary')
})

it('a command that dev runs gets the environment unchanged', async () => {
  const print = 'process.stdout.write(String(process.env.NODE_USE_ENV_PROXY))'
  const { stdout } = await execute(['dev', '--port', '0', '--', process.execPath, '-e', print])
  expect(stdout).toMatch(/undefined$/)
})

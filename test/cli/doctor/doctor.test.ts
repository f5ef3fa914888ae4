import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Finding } from '../../../src/cli/doctor/finding.ts'
import { createEmulator, type Emulator, type EmulatorServer } from '../../../src/emulator.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { serveListener } from '../../support/serve-listener.ts'
import { type CliOptions, emulated, runCli, temporaryFolder } from '../terminal.ts'

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

/** A listening emulator with valid settings. All tests share it, because creating its keys takes time. */
let served: { emulator: Emulator; server: EmulatorServer; env: Record<string, string> }

beforeAll(async () => {
  const { emulator, env } = emulated()
  const server = await emulator.listen()
  const cookie = { SVC_COOKIE_SECRET: 'canary-cookie-0123456789-01234567' }
  served = {
    emulator,
    server,
    env: { ...env, ...cookie, SVC_BASE_URL: server.url, SVC_ORG_BASE_URL: server.url },
  }
})

afterAll(() => served.server.close())

beforeEach(() => served.emulator.reset())

/** An emulator behind TLS with a self-signed certificate. */
async function servedByTls() {
  const emulator = createEmulator()
  const listener = getRequestListener((request) => emulator.fetch(request), { overrideGlobalObjects: false })
  const server = createServer(selfSigned, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { emulator, url: `https://localhost:${(server.address() as AddressInfo).port}` }
}

async function diagnose(options: CliOptions) {
  const { status, stdout, stderr } = await runCli('doctor --json', options)
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
  const by = (check: string) => findings.find((one) => one.check.startsWith(check))
  return { status, stdout, stderr, ok, findings, by }
}

it('reports no failures for valid settings, and sends neither writes nor billed calls', async () => {
  const { emulator, env } = served
  const { status, stderr, ok, findings } = await diagnose({ env })
  expect([status, stderr, ok]).toEqual([0, '', true])
  expect(findings.map(({ check, status: state }) => [check.split(' ')[0], state])).toEqual([
    ['node', 'ok'],
    ['SVC_BASE_URL', 'ok'],
    ['SVC_ORG_BASE_URL', 'ok'],
    ['SVC_API_KEY', 'ok'],
    ['SVC_CLIENT_ID,', 'ok'],
    ['SVC_WEBHOOK_SECRET', 'ok'],
    ['SVC_COOKIE_SECRET', 'ok'],
    ['SVC_ERROR_DETAIL', 'ok'],
    ['reach', 'ok'],
    ['emulator', 'ok'],
    ['clock', 'ok'],
    ['keys', 'ok'],
    ['api', 'ok'],
    ['organization', 'ok'],
  ])
  expect(emulator.ledger).toEqual([])
  expect(emulator.requests.filter(({ method }) => method !== 'GET')).toEqual([])
})

it('prints for each check what is wrong and what to do', async () => {
  const { env } = served
  const { status, stdout } = await runCli('doctor', { env: { ...env, SVC_API_KEY: 'canary-0123456789' } })
  expect(status).toBe(1)
  expect(stdout).toMatch(/^ok {4}organization: accepted/m)
  expect(stdout).toMatch(/^ok {4}emulator .*: this is an emulator: nothing is verified\nok/m)
  expect(stdout).toMatch(/^fail {2}api key: \S+: 401 invalid_api_key: .*\n {6}copy SVC_API_KEY again/m)
  expect(stdout).not.toMatch(/run: .* doctor/)
  expect(stdout).toContain('Failed checks: 1, warnings: ')
})

it('fails for the emulator if NODE_ENV is production', async () => {
  const { env } = served
  const { status, by } = await diagnose({ env: { ...env, NODE_ENV: 'production' } })
  expect(status).toBe(1)
  expect(by('emulator')).toMatchObject({
    status: 'fail',
    detail: 'nothing is verified, with NODE_ENV=production',
    advice: 'set the base URLs and the credentials of the service',
  })
})

it.each([
  ['production', 'fail'],
  ['development', 'ok'],
])('SVC_WEBHOOK_SECRET of the emulator with NODE_ENV %s: %s', async (mode, status) => {
  const { by } = await diagnose({ env: { SVC_WEBHOOK_SECRET: 'emulator_webhook_secret', NODE_ENV: mode } })
  expect(by('SVC_WEBHOOK_SECRET')?.status).toBe(status)
})

it('warns if the service is on this machine and is not the emulator, also if it cannot be reached', async () => {
  const { url } = await serveListener((_, response) => response.end())
  for (const base of [url, 'http://127.0.0.1:9']) {
    const { by } = await diagnose({ env: { SVC_BASE_URL: base } })
    expect(by('tls')).toEqual({
      check: `tls ${new URL(base).host}`,
      status: 'warn',
      detail: 'none: this is an http URL of this machine',
      advice: 'use the https URL in production',
    })
    expect(by('emulator')).toBeUndefined()
  }
})

it('gives advice for every warning and failure', async () => {
  const { findings } = await diagnose({ env: { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_CLIENT_ID: 'x' } })
  const bad = findings.filter(({ status }) => status !== 'ok')
  expect(bad.length).toBeGreaterThan(4)
  for (const { advice } of bad) expect(advice).toMatch(/\w/)
})

it.each([
  ['SVC_API_KEY', 'SVC_API_KEY'],
  ['SVC_CLIENT_ID', 'SVC_CLIENT_ID, SVC_CLIENT_SECRET'],
  ['SVC_CLIENT_SECRET', 'SVC_CLIENT_ID, SVC_CLIENT_SECRET'],
  ['SVC_WEBHOOK_SECRET', 'SVC_WEBHOOK_SECRET'],
  ['SVC_COOKIE_SECRET', 'SVC_COOKIE_SECRET'],
])('reports what was copied with %s', async (name, check) => {
  const { env } = served
  const secret = 'x'.repeat(40)
  const found = async (value: string) => (await diagnose({ env: { ...env, [name]: value } })).by(check)
  const isNoLine = {
    status: 'fail',
    detail: 'must be one visible line without spaces around it, not undefined or null',
  }

  expect(await found(`${secret}\n`)).toMatchObject(isNoLine)
  expect(await found(` ${secret}`)).toMatchObject(isNoLine)
  expect(await found(`\ufeff${secret}`)).toMatchObject({
    status: 'fail',
    detail: 'must be one visible line without spaces around it, not undefined or null',
  })
  expect(await found(`"${secret}"`)).toMatchObject({
    status: 'warn',
    detail: 'starts and ends with a quotation mark',
    advice: 'remove them, unless they belong to the value: docker run --env-file keeps them',
  })
})

it('checks the credentials of an organization that is not described in the response', async () => {
  const { env } = served
  const members: [] = []
  for (const organization of [undefined, null, 'Acme', { id: 1 }]) {
    const fetch = async () => Response.json({ success: true, data: { members, organization } })
    const { by } = await diagnose({ env, fetch })
    expect(by('organization')).toMatchObject({
      status: 'ok',
      detail: 'accepted; the organization has 0 members',
    })
  }
})

it('prints no secret in any finding', async () => {
  const { env } = served
  const canaries = {
    SVC_API_KEY: 'canary-key-0123456789',
    SVC_CLIENT_SECRET: 'canary-secret-0123456789',
    SVC_WEBHOOK_SECRET: 'canary-hook',
    SVC_COOKIE_SECRET: 'canary-cookie',
  }
  const invalid = {
    ...canaries,
    SVC_API_KEY: ' canary key\n',
    SVC_BASE_URL: 'https://user:canary-word@x.example',
  }
  for (const [change, failed] of [
    [canaries, 'organization'],
    [invalid, 'SVC_BASE_URL'],
    [{ ...invalid, SVC_BASE_URL: env.SVC_BASE_URL }, 'api key'],
  ] as const) {
    const { stdout, stderr, status, by } = await diagnose({ env: { ...env, ...change } })
    expect([status, by(failed)?.status]).toEqual([1, 'fail'])
    expect(stdout + stderr).not.toContain('canary')
  }
})

it.each([
  ['no URL', {}, 'settings', 'fail'],
  ['an http URL of another machine', { SVC_BASE_URL: 'http://id.example.com' }, 'SVC_BASE_URL', 'fail'],
  ['an invalid URL', { SVC_ORG_BASE_URL: 'nonsense' }, 'SVC_ORG_BASE_URL', 'fail'],
  ['only half of the credentials', { SVC_CLIENT_ID: 'id' }, 'SVC_CLIENT_ID', 'fail'],
  ['no API key', {}, 'SVC_API_KEY', 'warn'],
  ['no webhook secret', {}, 'SVC_WEBHOOK_SECRET', 'warn'],
  ['half a webhook secret', { SVC_WEBHOOK_SECRET: 'whsec_short' }, 'SVC_WEBHOOK_SECRET', 'warn'],
  ['no cookie secret', {}, 'SVC_COOKIE_SECRET', 'warn'],
  ['a cookie secret of 31 characters', { SVC_COOKIE_SECRET: 'x'.repeat(31) }, 'SVC_COOKIE_SECRET', 'fail'],
  ['a short cookie secret after spaces', { SVC_COOKIE_SECRET: 'x'.padStart(32) }, 'SVC_COOKIE_SECRET', 'fail'],
  ['a cookie secret of 32 characters', { SVC_COOKIE_SECRET: 'x'.repeat(32) }, 'SVC_COOKIE_SECRET', 'ok'],
] as const)('reports settings with %s', async (_, env, check, status) => {
  const result = await diagnose({ env, fetch: () => Promise.reject(new TypeError('no network')) })
  expect(result.by(check)?.status).toBe(status)
  expect(result.status).toBe(1 - Number(result.findings.every((one) => one.status !== 'fail')))
})

it('reports a host that cannot be reached', async () => {
  const { status, by } = await diagnose({ env: { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'key' } })
  expect([status, by('reach')?.status, by('keys')?.status]).toEqual([1, 'fail', 'fail'])
  expect(by('api key')?.advice).toBe('for details, run: npx identity-service-sdk explain connection_failed')
})

it('warns if the host responds with a server error', async () => {
  const { url } = await serveListener((_, response) => response.writeHead(503).end())
  const { by } = await diagnose({ env: { SVC_BASE_URL: url } })
  expect(by('reach')).toMatchObject({ status: 'warn', detail: 'responded with 503' })
})

it.each([
  [20, 'ok'],
  [-20, 'ok'],
  [60, 'warn'],
  [-60, 'warn'],
  [400, 'fail'],
  [-400, 'fail'],
])('a clock that differs by %i s has the status %s', async (seconds, expected) => {
  const { env } = served
  const { by, status } = await diagnose({ env, now: () => new Date(Date.now() + seconds * 1000) })
  expect([by('clock')?.status, status]).toEqual([expected, expected === 'fail' ? 1 : 0])
  expect(by('clock')?.detail).toMatch(expected === 'ok' ? /differs by/ : seconds < 0 ? /behind/ : /ahead/)
})

const jwk = (bits: number, more: object = {}) => {
  const n = Buffer.alloc(bits / 8, 0xff).toString('base64url')
  return { kty: 'RSA', kid: String(bits), use: 'sig', alg: 'RS256', n, e: 'AQAB', ...more }
}

it.each([
  ['a strong key', 200, { keys: [jwk(2048)] }, 'ok'],
  ['a strong key in the envelope', 200, { success: true, data: { keys: [jwk(4096)] }, error: null }, 'ok'],
  ['a strong key and a weak key', 200, { keys: [jwk(1024), jwk(2048)] }, 'warn'],
  ['only a weak key', 200, { keys: [jwk(1024)] }, 'fail'],
  ['a key with a private member', 200, { keys: [jwk(2048, { d: 'AQAB' })] }, 'fail'],
  ['no keys', 200, { keys: [] }, 'fail'],
  ['null instead of a key set', 200, null, 'fail'],
  ['an HTML page', 200, '<html>', 'fail'],
  ['status 500', 500, { keys: [jwk(2048)] }, 'fail'],
])('checks the published keys: %s', async (_, code, body, expected) => {
  const { url } = await serveListener((_, response) =>
    response.writeHead(code).end(typeof body === 'string' ? body : JSON.stringify(body)),
  )
  expect((await diagnose({ env: { SVC_BASE_URL: url } })).by('keys')?.status).toBe(expected)
})

it('reads at most 512 KiB of a key set', async () => {
  const { url } = await serveListener((request, response) => {
    if (request.url?.endsWith('jwks.json')) response.write(`{"keys":["${'x'.repeat(600_000)}`)
    else response.end()
  })
  const { by } = await diagnose({ env: { SVC_BASE_URL: url } })
  expect(by('keys')).toMatchObject({
    status: 'fail',
    detail: 'the response of /api/auth/oidc/jwks.json is larger than 524288 bytes',
  })
})

/** Lets `AbortSignal.timeout` abort by hand. Returns the times that were asked for. */
function manualTimeouts() {
  const requested: number[] = []
  const controllers: AbortController[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController()
    requested.push(ms)
    controllers.push(controller)
    return controller.signal
  })
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  return { requested, expire: () => controllers.at(-1)?.abort(reason) }
}

it('waits at most 10 seconds for a key set that arrives byte by byte', async () => {
  const { requested, expire } = manualTimeouts()
  const { url } = await serveListener((request, response) => {
    if (!request.url?.endsWith('jwks.json')) return void response.end()
    response.write('{')
    setImmediate(expire)
  })
  const { by } = await diagnose({ env: { SVC_BASE_URL: url } })
  expect([by('keys')?.status, by('keys')?.detail]).toEqual(['fail', 'TimeoutError'])
  expect(new Set(requested)).toEqual(new Set([10_000]))
})

it('waits at most 10 seconds for a TLS handshake, also if bytes arrive', async () => {
  const { requested, expire } = manualTimeouts()
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    // The start of a record that never ends.
    socket.once('data', () => socket.write(Buffer.from([22, 3, 3, 0x40, 0]), expire))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo

  const { by } = await diagnose({
    env: { SVC_BASE_URL: `https://127.0.0.1:${port}` },
    fetch: () => Promise.reject(new TypeError('no network')),
  })

  expect(by('tls')).toMatchObject({ status: 'fail', detail: 'no response within 10 seconds' })
  expect(requested[0]).toBe(10_000)
})

it('reports issuer, days left and trust error of a certificate that is not trusted', async () => {
  const { url } = await servedByTls()
  const { by, status } = await diagnose({ env: { SVC_BASE_URL: url } })
  expect(by('tls')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/^issued by localhost, \d+ days left: DEPTH_ZERO_SELF_SIGNED_CERT$/),
    advice: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
  expect(status).toBe(1)
})

it('accepts a certificate that a CA of NODE_EXTRA_CA_CERTS signed, and warns if it expires soon', async () => {
  const { emulator, url } = await servedByTls()
  const folder = await temporaryFolder()
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, selfSigned.cert)
  const { verification } = emulator.options
  const env = { SVC_BASE_URL: url, SVC_API_KEY: verification.apiKey, NODE_EXTRA_CA_CERTS: ca }
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'doctor', '--json'], { env })
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  const states = findings.map(({ check, status }) => [check.split(' ')[0], status])
  expect(findings).toContainEqual({
    check: `tls ${new URL(url).host}`,
    status: 'warn',
    detail: 'issued by localhost, 0 days left',
    advice: expect.stringContaining('renew'),
  })
  expect(states).toContainEqual(['api', 'ok'])
})

it.each([
  ['full', 'production', 'fail'],
  ['full', 'development', 'ok'],
  ['full', 'test', 'ok'],
  ['full', 'staging', 'warn'],
  ['full', undefined, 'warn'],
  ['safe', 'production', 'ok'],
  [undefined, 'production', 'ok'],
])('SVC_ERROR_DETAIL %s with NODE_ENV %s: %s', async (detail, mode, status) => {
  const { by } = await diagnose({ env: { SVC_ERROR_DETAIL: detail, NODE_ENV: mode } })
  expect(by('SVC_ERROR_DETAIL')?.status).toBe(status)
})

it('SVC_ERROR_DETAIL full needs no NODE_ENV if every base URL is of an emulator', async () => {
  const { env } = served
  const full = { ...env, SVC_ERROR_DETAIL: 'full' }
  const elsewhere = { ...full, SVC_ORG_BASE_URL: 'https://org.example' }

  expect((await diagnose({ env: full })).by('SVC_ERROR_DETAIL')?.status).toBe('ok')
  expect((await diagnose({ env: elsewhere })).by('SVC_ERROR_DETAIL')?.status).toBe('warn')
})

it('warns if the type of a field is not documented, names the field, and prints no value', async () => {
  const { emulator, env } = served
  const fetch: typeof globalThis.fetch = async (...call) => {
    const response = await emulator.fetch(new Request(...call))
    if (!new Request(...call).url.endsWith('/states')) return response
    const text = await response.text()
    return new Response(
      text.replaceAll(
        /"states":\[\{"(\w+)":"[^"]*"/g,
        '"states":[{"canary_field":"canary value","$1":["canary value"]',
      ),
      response,
    )
  }

  const { ok, by, stdout } = await diagnose({ env, fetch })

  expect(ok).toBe(true)
  expect(by('service contract')).toMatchObject({
    status: 'warn',
    detail: 'the response to credentials.listStates is not as documented: 0.state_name',
  })
  expect(stdout).not.toContain('canary value')
})

// Misspelled on purpose: cspell:ignore Secrte dublicate livness stauts validaton

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCli, startCli, temporaryFolder } from '../terminal.ts'
import { startJson } from './starting.ts'

async function configFile(config: unknown) {
  const file = join(await temporaryFolder(), 'emulator.json')
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config))
  return file
}

const startWith = async (config: object) => startJson(['--config', await configFile(config)])
const failWith = async (config: unknown) => {
  const file = await configFile(config)
  const { status, stderr } = await runCli(['emulator', '--port', '0', '--config', file])
  return { status, message: stderr.replace(file, 'FILE') }
}

const age = { dob: '1990-04-12', bands: [18] }

it('--config sets options of the emulator, faults, webhook faults and outcomes of checks', async () => {
  const { call, control, env, stop } = await startWith({
    apiKey: 'a key',
    org: { clientId: 'org', billing: { plan: null, trialEndsAt: '2030-01-01T00:00:00Z' } },
    members: [{ email: 'ada@example.com' }],
    seed: 7,
    faults: [{ match: 'checks.age', status: 503, times: 'Infinity' }],
    webhookFaults: [{ kind: 'duplicate', times: 2 }],
    checks: [{ type: 'liveness', outcome: { status: 'review', data: { live_score: 0 } }, times: 1 }],
  })

  expect(env).toMatchObject({ SVC_API_KEY: 'a key', SVC_CLIENT_ID: 'org' })
  expect((await call('POST', '/api/v2/age-verification', age)).status).toBe(503)
  expect((await call('POST', '/api/v2/liveness', { image: 'AAAA' })).data.status).toBe('review')
  expect((await call('POST', '/api/v2/liveness', { image: 'AAAA' })).data.status).toBe('passed')
  expect(await control('/members')).toMatchObject([{ email: 'ada@example.com' }])
  await stop()
})

it.each([
  [{ apiKye: 'a' }, 'error: --config: FILE: apiKye is not an option. Did you mean apiKey?\n'],
  [{ zzz: 1 }, expect.stringContaining('zzz is not an option. The options are apiKey, webhooks, ')],
  [
    { org: { clientSecrte: 1 } },
    expect.stringContaining('org.clientSecrte is not an option. Did you mean clientSecret?'),
  ],
  [{ apiKey: 5 }, 'error: --config: FILE: apiKey must be a string\n'],
  [{ wallet: { balance: 'x' } }, 'error: --config: FILE: wallet.balance must be a finite number\n'],
  [
    { readings: { inviteLimit: 'x' } },
    'error: --config: FILE: readings.inviteLimit must be one of per_member, overall\n',
  ],
  [{ members: [{}] }, 'error: --config: FILE: members.0.email is missing\n'],
  [
    { org: { billing: { trialEndsAt: 'soon' } } },
    'error: --config: FILE: org.billing.trialEndsAt must be a time in ISO 8601\n',
  ],
  [{ faults: [{ headers: { a: 1 } }] }, 'error: --config: FILE: faults.0: headers.a must be a string\n'],
  [
    { checks: [{ type: 'liveness', outcome: { stauts: 'x' } }] },
    expect.stringContaining('checks.0: outcome.stauts is not an option. Did you mean status?'),
  ],
  [{ webhooks: [] }, 'error: --config: FILE: webhooks must be an object\n'],
  [{ onRequest: 'text' }, 'error: --config: FILE: onRequest must be a function\n'],
  [{ faults: {} }, 'error: --config: FILE: faults must be an array of objects\n'],
  [{ webhookFault: [] }, 'error: --config: FILE: webhookFault is not an option. Did you mean webhookFaults?\n'],
  [[], 'error: --config: FILE: the file must be an object\n'],
  ['{', 'error: --config: FILE is not JSON.\n'],
  [{ apiKey: ' ' }, 'error: --config: FILE: apiKey must not be blank\n'],
  [
    { oidc: { redirectUris: ['http://a.example/'] } },
    expect.stringContaining(
      '--config: FILE: oidc.redirectUris.0 must be a valid URL without spaces and fragment: https',
    ),
  ],
  [
    { faults: [{ match: 'checks.ago', status: 500 }] },
    expect.stringContaining(
      '--config: FILE: faults.0: match: checks.ago is not an operation. Did you mean checks.age?',
    ),
  ],
])('--config with %j is rejected with a message that names the place', async (config, message) => {
  expect(await failWith(config)).toEqual({ status: 2, message })
})

it('--redirect-uri and --callback restrict the accepted addresses, and can be repeated', async () => {
  const accepted = ['http://localhost:3000/hook', 'https://app.example/hook']
  const { call, stop } = await startJson([
    ...accepted.flatMap((url) => ['--callback', url]),
    ...['--redirect-uri', 'http://localhost:3000/callback', '--redirect-uri', 'com.example.app:/callback'],
  ])
  const statuses: number[] = []
  for (const callback of [...accepted, 'http://localhost:3000/other'])
    statuses.push((await call('POST', '/api/v2/session', { callback })).status)
  await stop()

  expect(statuses).toEqual([200, 200, 422])
})

it.each([
  ['--redirect-uri http://app.example/', '--redirect-uri must be a valid URL without spaces and fragment: https'],
  ['--callback http://app.example/', '--callback must be an https URL'],
  ['--fault checks.age', '--fault must have the form OPERATION:EFFECT'],
  ['--fault checks.ago:503', '--fault: match: checks.ago is not an operation. Did you mean checks.age?'],
  ['--fault checks.age:validaton_error', 'Did you mean validation_error?'],
  [
    '--webhook-fault dublicate',
    '--webhook-fault: kind must be one of duplicate, late, bad_signature, out_of_order, lost. Did you mean duplicate?',
  ],
  ['--check livness:failed', 'location. Did you mean liveness?'],
  ['--check liveness:fail', '--check: outcome must be one of pending, running, passed, failed, review, or an object'],
  ['--check liveness:failed:2', '--check must have the form TYPE:STATUS'],
])('%s is rejected', async (flags, message) => {
  const { status, stderr } = await runCli(`emulator --port 0 ${flags}`)

  expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
})

it('--fault takes several effects, and * for every operation', async () => {
  const { control, stop } = await startJson(
    '--fault checks.age:503:times=2 --fault *:delayMs=5:reset:after --fault checks.liveness:not_json --fault checks.age:validation_error:times=Infinity',
  )

  expect(await control('/faults')).toEqual([
    { match: 'checks.age', status: 503, times: 2, left: '2' },
    { delayMs: 5, reset: true, when: 'after', left: '1' },
    { match: 'checks.liveness', malformed: 'not_json', left: '1' },
    { match: 'checks.age', code: 'validation_error', times: null, left: 'Infinity' },
  ])
  await stop()
})

it('without --port, it listens on port 4010 or the next free one, and says so', async () => {
  const listen = async () => {
    const running = startCli('emulator --json')
    await expect.poll(() => running.stdout).toContain('listening')
    const { listening } = JSON.parse(running.stdout.split('\n')[0] ?? '')
    return { running, port: Number(new URL(listening).port) }
  }
  const first = await listen()
  const second = await listen()
  for (const { running } of [first, second]) running.interrupt()
  await Promise.all([first.running.status, second.running.status])

  expect(first.port).toBeGreaterThanOrEqual(4010)
  expect(second.port).toBeGreaterThan(first.port)
  for (const { port, running } of [first, second])
    expect(running.stderr).toBe(port === 4010 ? '' : `Port 4010 is in use. The emulator listens on port ${port}.\n`)
})

it('--allowed-host accepts another host name, and can be repeated', async () => {
  const { env, stop } = await startJson(['--allowed-host', 'emulator', '--allowed-host', 'id.test'])
  const statusFor = async (host: string) => {
    const sent = request(new URL('/api/v2/session', env.SVC_BASE_URL), { headers: { host } })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }

  expect(await statusFor('emulator:4010')).toBe(401)
  expect(await statusFor('id.test')).toBe(401)
  expect(await statusFor('other.test')).toBe(421)
  await stop()
})

it('--callback accepts http for names that no public server has', async () => {
  for (const host of ['host.docker.internal', 'app', 'app.local']) {
    const { stop } = await startJson(['--callback', `http://${host}:3000/webhooks`])
    await stop()
  }
})

it.each([
  ['--allow-remote=yes', '--allow-remote takes no value.'],
  ['--fault=sessions.create:503:404', '"sessions.create:503:404" has two values for status'],
  ['--check=location:passed:times=2:times=3', 'has two values for times'],
  ['--fault=checks.age:503:time=2', '"time=2" must be times, delayMs or ageSeconds'],
])('%s is rejected with the reason', async (argument, reason) => {
  const { status, stderr } = await runCli(['emulator', argument])

  expect([status, stderr]).toEqual([2, expect.stringContaining(reason)])
})

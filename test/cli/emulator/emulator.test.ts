import { expect, it, vi } from 'vitest'
import { VerificationClient } from '../../../src/index.ts'
import { patient } from '../../support/patience.ts'
import { serveListener } from '../../support/serve-listener.ts'
import { runCli, startCli } from '../terminal.ts'

/** A busy machine may take longer than the default, which is a second. */

/** Starts the emulator and waits until it listens. */
async function startEmulator(command = 'emulator --port 0') {
  const running = startCli(command)
  const url = await vi.waitFor(() => {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(running.stdout)?.[0]
    if (found === undefined) throw new Error('The emulator does not listen yet')
    return found
  }, patient)
  return { running, url }
}

it('prints its URL and settings that connect a client to it, and warns that nothing is verified', async () => {
  const { running, url } = await startEmulator()
  const env = Object.fromEntries([...running.stdout.matchAll(/^export (\w+)=(.*)$/gm)].map(([, ...pair]) => pair))

  const client = new VerificationClient({ baseUrl: env.SVC_BASE_URL, apiKey: env.SVC_API_KEY })
  const states = await client.credentials.listStates()
  running.interrupt()

  expect(await running.status).toBe(0)
  expect(states.length).toBeGreaterThan(0)
  expect(env).toMatchObject({
    SVC_BASE_URL: url,
    SVC_ORG_BASE_URL: url,
    SVC_CLIENT_ID: expect.stringMatching(/./),
    SVC_CLIENT_SECRET: expect.stringMatching(/./),
    SVC_WEBHOOK_SECRET: expect.stringMatching(/./),
    SVC_ERROR_DETAIL: 'full',
  })
  expect(running.stderr).toContain('NOTHING IS VERIFIED')
  await expect(fetch(url)).rejects.toThrow(TypeError)
})

it('--scenarios prints the values of vendor_data with which a session ends by itself, and exits', async () => {
  const { stdout, status } = await runCli('emulator --scenarios')

  expect(status).toBe(0)
  expect(stdout).toMatch(/^emu:declined:<check> {2}that check alone fails, and the session is declined$/m)
  const json = await runCli('emulator --scenarios --json')
  expect(JSON.parse(json.stdout)).toHaveProperty(['emu:review'], 'the session waits for a review')
})

it('logs each request on one line, with a notice that nothing was verified and without personal data', async () => {
  const { running, url } = await startEmulator()
  await fetch(`${url}/api/v2/session?vendor_data=canary`)
  await fetch(`${url}/api/sdk/members/canary%40example.com/invite`, { method: 'POST' })
  await fetch(`${url}/activate/canary`)
  await vi.waitFor(() => expect(running.stdout.match(/\[nothing verified\]/g)).toHaveLength(3), patient)
  running.interrupt()
  await running.status

  const lines = running.stdout.split('\n').filter((line) => line.startsWith('[nothing verified]'))
  expect(lines).toEqual([
    expect.stringMatching(/ GET \/api\/v2\/session 401 sessions\.list req_\w+$/),
    expect.stringMatching(/ POST \/api\/sdk\/members\/\[email\]\/invite 401 members\.invite req_\w+$/),
    expect.stringMatching(/ GET \/activate\/\[masked\] 404 - req_\w+$/),
  ])
  expect(running.stdout).not.toContain('canary')
})

it('logs each delivery of a webhook on one line, with its status, or that the app could not be reached', async () => {
  const { running, url } = await startEmulator()
  const rejecting = await serveListener((_, response) => response.writeHead(400).end())
  const callbacks = [`${rejecting.url}/webhooks?token=canary`, 'http://127.0.0.1:1/webhooks']
  const client = new VerificationClient({ baseUrl: url, apiKey: 'emulator_api_key' })
  for (const callback of callbacks) {
    const session = await client.sessions.create({ callback })
    const body = new URLSearchParams({ choice: 'approve' })
    await fetch(session.url, { method: 'POST', body, redirect: 'manual' })
  }
  await vi.waitFor(() => expect(running.stdout.match(/ webhook /g)).toHaveLength(2), patient)
  running.interrupt()
  await running.status

  expect(running.stdout.split('\n').filter((line) => line.includes(' webhook '))).toEqual([
    expect.stringMatching(/^\[nothing verified\] \S+ webhook http:\/\/127\.0\.0\.1:\d+\/webhooks 400 evt_[\w-]+$/),
    expect.stringMatching(
      /^\[nothing verified\] \S+ webhook http:\/\/127\.0\.0\.1:1\/webhooks no response evt_[\w-]+$/,
    ),
  ])
  expect(running.stdout).not.toContain('canary')
})

it('logs every request before the command ends, also one that was received just before Ctrl-C', async () => {
  const { running, url } = await startEmulator('emulator --port 0 --json')
  await fetch(`${url}/nowhere`)
  running.interrupt()
  await running.status

  const [first, ...requests] = running.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(first).toEqual({
    listening: url,
    console: `${url}/_emulator`,
    verified: false,
    env: expect.any(Object),
  })
  expect(requests).toEqual([
    {
      at: expect.stringMatching(/Z$/),
      method: 'GET',
      path: '/nowhere',
      status: 404,
      operation: null,
      request_id: expect.stringMatching(/^req_/),
      verified: false,
    },
  ])
})

it('produces the same ids for the same seed', async () => {
  const ids = []
  for (const seed of ['a', 'a', 'b']) {
    const { running, url } = await startEmulator(`emulator --port 0 --seed ${seed}`)
    ids.push((await fetch(`${url}/nowhere`)).headers.get('x-request-id'))
    running.interrupt()
    await running.status
  }
  expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false])
})

it('suggests --port if the port is in use', async () => {
  const { port } = await serveListener(() => {})
  const { status, stderr } = await runCli(`emulator --port ${port}`)
  expect([status, stderr]).toEqual([
    2,
    `error: port ${port} on 127.0.0.1 is in use: choose another --port, or 0 for a free one\n`,
  ])
})

it('names --allow-remote if --host is not a loopback address', async () => {
  const { status, stderr } = await runCli('emulator --port 0 --host 0.0.0.0')
  expect([status, stderr]).toEqual([2, expect.stringContaining('--allow-remote')])
})

it('accepts requests from other machines only with --allow-remote', async () => {
  const running = startCli('emulator --port 0 --host 0.0.0.0 --allow-remote')
  await vi.waitFor(() => expect(running.stdout).toContain('http://127.0.0.1:'), patient)
  running.interrupt()
  expect(await running.status).toBe(0)
})

it('uses its public URL in the settings that it prints', async () => {
  const { running, url } = await startEmulator('emulator --port 0 --public-url https://identity.test --json')
  running.interrupt()
  await running.status

  expect(JSON.parse(running.stdout.split('\n')[0] ?? '')).toMatchObject({
    listening: 'https://identity.test',
    console: `${url}/_emulator`,
    env: { SVC_BASE_URL: 'https://identity.test' },
  })
})

import { expect, it, onTestFinished } from 'vitest'
import { isSdkError, OutcomeUnknownError, type VerificationClient } from '../../src/index.ts'
import { installPackage } from '../support/installed-package.ts'
import { describeWith, requireBinary } from '../support/programs.ts'
import { born, emulatorBehindNginx, upload } from './behind-nginx.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const protocols = it.each([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
])

/** Makes calls, eight at a time, with `meanwhile` before each. Returns the result or the error of each. */
async function manyCalls(client: VerificationClient, calls: number, meanwhile: (made: number) => unknown) {
  let made = 0
  const outcomes: unknown[] = []
  const worker = async () => {
    while (made < calls) {
      const number = made++
      meanwhile(number)
      const call = number % 2 === 0 ? client.checks.age(born) : client.checks.liveness(upload(30_000))
      outcomes.push(await Promise.resolve(call).catch((thrown: unknown) => thrown))
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return outcomes
}

describeWith('nginx', 'that calls survive the end of connections to a proxy', () => {
  it('no call fails if a proxy closes each connection after one request', async () => {
    const { emulator, clientWith } = await emulatorBehindNginx({ directives: ['keepalive_requests 1'] })

    const outcomes = await manyCalls(clientWith({ maxRetries: 0 }), 60, () => {})

    expect(outcomes.filter(isSdkError)).toEqual([])
    expect(emulator.ledger).toHaveLength(60)
  })

  it('no call with retries fails if a proxy often closes an HTTP/2 connection', async () => {
    const directives = ['keepalive_requests 20']
    const { emulator, clientWith } = await emulatorBehindNginx({ http2: true, directives })

    const outcomes = await manyCalls(clientWith(), 120, () => {})

    expect(outcomes.filter(isSdkError)).toEqual([])
    expect(emulator.ledger).toHaveLength(120)
  })

  it('sessions.create is sent once, also if a proxy closes its HTTP/2 connection', async () => {
    const directives = ['keepalive_requests 3']
    const { emulator, clientWith } = await emulatorBehindNginx({ http2: true, directives })
    const client = clientWith()
    const create = (_: unknown, i: number) => client.sessions.create({ vendor_data: `caller ${i}` })

    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, create))

    const bodies = emulator.requests.map(({ body }) => body)
    const created = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(new Set(bodies).size).toBe(bodies.length)
    expect(bodies.length).toBeGreaterThanOrEqual(created.length)
  })

  protocols('%s: no call fails if a proxy closed the idle connection', async (_, http2) => {
    const directives = ['keepalive_timeout 40ms']
    const { emulator, clientWith } = await emulatorBehindNginx({ http2, directives })
    const client = clientWith()

    for (let i = 0; i < 20; i++) {
      await client.checks.age(born)
      // nginx measures the timeout by its own clock. Most of these pauses end at about the time of its close.
      await pause(30 + i)
    }

    expect(emulator.ledger).toHaveLength(20)
  })

  protocols('%s: calls survive restarts of a proxy, and none is charged twice', async (_, http2) => {
    const { emulator, nginx, clientWith } = await emulatorBehindNginx({ http2 })
    const client = clientWith({ maxRetries: 10, sleep: () => nginx.up, timeoutMs: 5000 })

    const outcomes = await manyCalls(client, 120, (number) => {
      if (number % 40 === 20) void nginx.restart()
    })

    const failures = outcomes.filter(isSdkError)
    const keys = emulator.ledger.map(({ idempotencyKey }) => idempotencyKey)
    expect(failures.filter((error) => !(error instanceof OutcomeUnknownError))).toEqual([])
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.length).toBeGreaterThanOrEqual(120 - failures.length)
    expect(failures.length).toBeLessThan(12)
  })

  protocols('%s: no call with retries fails if a proxy reloads', async (_, http2) => {
    const { emulator, nginx, clientWith } = await emulatorBehindNginx({ http2, reloads: true })

    const outcomes = await manyCalls(clientWith(), 120, (number) => {
      if (number % 40 === 20) nginx.reload()
    })

    expect(outcomes.filter(isSdkError)).toEqual([])
    expect(emulator.ledger).toHaveLength(120)
  })
})

/** Opens a connection with 50 requests at once over the `fetch` of the runtime, then makes 50 calls at once. */
const burst = `
import { VerificationClient } from 'identity-service-sdk'
const { baseUrl, apiKey } = JSON.parse(process.env.SETTINGS)
const client = new VerificationClient({ baseUrl, apiKey, fetch: globalThis.fetch })
const failuresOf = async (send) => {
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, send))
  return outcomes.filter(({ status }) => status === 'rejected').length
}
const post = () => fetch(baseUrl, { method: 'POST', body: '{}' }).then((response) => response.text())
await failuresOf(post) // opens the connection
const failures = await failuresOf(() => client.checks.age({ dob: '1990-12-10', bands: [18] }))
process.stdout.write(String(failures))
process.exit()
`

describeWith(
  ['nginx', 'node-26'],
  'that calls survive what undici 8 does if a proxy ends a connection of HTTP/2',
  () => {
    // undici 8, which is the fetch of Node 26, sends a request again only once.
    it('no call of a burst fails over the fetch of Node 26', async () => {
      const directives = ['keepalive_requests 30']
      const { emulator, nginx } = await emulatorBehindNginx({ http2: true, directives })
      const installed = await installPackage()
      onTestFinished(() => installed.remove())
      const settings = { baseUrl: nginx.url, apiKey: emulator.options.verification.apiKey }
      const env = { SETTINGS: JSON.stringify(settings), NODE_TLS_REJECT_UNAUTHORIZED: '0' }

      const failures = await installed.run('burst.mjs', burst, env, requireBinary('node-26'))

      expect(failures).toBe('0')
      expect(emulator.ledger).toHaveLength(50)
      expect((await nginx.log()).every(({ protocol }) => protocol === 'HTTP/2.0')).toBe(true)
    })
  },
)

import { expect, it } from 'vitest'
import { isSdkError, OutcomeUnknownError, type VerificationClient } from '../../src/index.ts'
import { describeWith } from '../support/services.ts'
import { born, emulatorBehindNginx, upload } from './behind-nginx.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const protocols = it.each([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
])

/** Calls that come while something else happens, so many at a time. Gives what each was told. */
async function callAllAlong(client: VerificationClient, calls: number, meanwhile: (made: number) => unknown) {
  let made = 0
  const told: unknown[] = []
  const worker = async () => {
    while (made < calls) {
      const number = made++
      meanwhile(number)
      const call = number % 2 === 0 ? client.checks.age(born) : client.checks.liveness(upload(30_000))
      told.push(await Promise.resolve(call).catch((thrown: unknown) => thrown))
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return told
}

describeWith('nginx', 'that calls outlive the connections of a proxy', () => {
  it('a proxy that ends each connection after one request breaks no call', async () => {
    const { emulator, clientWith } = await emulatorBehindNginx({ directives: ['keepalive_requests 1'] })

    const told = await callAllAlong(clientWith({ maxRetries: 0 }), 60, () => {})

    expect(told.filter(isSdkError)).toEqual([])
    expect(emulator.ledger).toHaveLength(60)
  })

  it('a proxy that often ends a connection of HTTP/2 breaks no call that repeats', async () => {
    const directives = ['keepalive_requests 20']
    const { emulator, clientWith } = await emulatorBehindNginx({ http2: true, directives })

    const told = await callAllAlong(clientWith(), 120, () => {})

    expect(told.filter(isSdkError)).toEqual([])
    expect(emulator.ledger).toHaveLength(120)
  })

  it('a new session goes out once, though a proxy ends the connection of HTTP/2 under it', async () => {
    const directives = ['keepalive_requests 3']
    const { emulator, clientWith } = await emulatorBehindNginx({ http2: true, directives })
    const client = clientWith()
    const create = (_: unknown, i: number) => client.sessions.create({ vendor_data: `caller ${i}` })

    const told = await Promise.allSettled(Array.from({ length: 60 }, create))

    const bodies = emulator.requests.map(({ body }) => body)
    const created = told.filter(({ status }) => status === 'fulfilled')
    expect(new Set(bodies).size).toBe(bodies.length)
    expect(bodies.length).toBeGreaterThanOrEqual(created.length)
    for (const one of told) if (one.status === 'rejected') expect(one.reason).toMatchObject({ attempts: 1 })
  })

  protocols('%s: a connection that a proxy closed while it rested breaks no call', async (_, http2) => {
    const directives = ['keepalive_timeout 40ms']
    const { emulator, clientWith } = await emulatorBehindNginx({ http2, directives })
    const client = clientWith()

    for (let i = 0; i < 20; i++) {
      await client.checks.age(born)
      // nginx counts in its own time: most of these pauses end about when it closes.
      await pause(30 + i)
    }

    expect(emulator.ledger).toHaveLength(20)
  })

  protocols('%s: calls outlive restarts of a proxy, and none is charged twice', async (_, http2) => {
    const { emulator, nginx, clientWith } = await emulatorBehindNginx({ http2 })
    const client = clientWith({ maxRetries: 10, sleep: () => nginx.up, timeoutMs: 5000 })

    const told = await callAllAlong(client, 120, (number) => {
      if (number % 40 === 20) void nginx.restart()
    })

    const failures = told.filter(isSdkError)
    const keys = emulator.ledger.map(({ idempotencyKey }) => idempotencyKey)
    expect(failures.filter((error) => !(error instanceof OutcomeUnknownError))).toEqual([])
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.length).toBeGreaterThanOrEqual(120 - failures.length)
    expect(failures.length).toBeLessThan(12)
  })

  protocols('%s: a reload of a proxy is not noticed by calls that repeat', async (_, http2) => {
    const { emulator, nginx, clientWith } = await emulatorBehindNginx({ http2, reloads: true })

    const told = await callAllAlong(clientWith(), 120, (number) => {
      if (number % 40 === 20) void nginx.reload()
    })

    expect(told.filter(isSdkError)).toEqual([])
    expect(emulator.ledger).toHaveLength(120)
  })
})

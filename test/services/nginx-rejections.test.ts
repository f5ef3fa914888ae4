import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { PayloadTooLargeError, ServerError } from '../../src/index.ts'
import { describeWith } from '../support/programs.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { born, emulatorBehindNginx, upload } from './behind-nginx.ts'

const protocols = it.each([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
])

/** Waits for `count` requests in the log of nginx, and returns their different idempotency keys. */
async function keysOf(nginx: { log(): Promise<{ idempotencyKey: string | undefined }[]> }, count: number) {
  await expect.poll(() => nginx.log()).toHaveLength(count)
  return new Set((await nginx.log()).map((logged) => logged.idempotencyKey))
}

describeWith('nginx', 'that responses of the proxy itself become typed errors', () => {
  protocols(
    '%s: an upload over the limit of a proxy fails with PayloadTooLargeError, and is sent once',
    async (_, http2) => {
      const directives = ['client_max_body_size 64k']
      const { emulator, nginx, clientWith } = await emulatorBehindNginx({ http2, directives })
      const client = clientWith()

      for (const bytes of [100_000, 8_000_000]) {
        const error = await thrownBy(client.checks.liveness(upload(bytes)))

        expect(error).toBeInstanceOf(PayloadTooLargeError)
        expect(error).toMatchObject({ status: 413, code: 'http_413', attempts: 1 })
      }
      await expect(client.checks.liveness(upload(10_000))).resolves.toMatchObject({ status: 'passed' })
      await expect.poll(() => nginx.log()).toHaveLength(3)
      expect((await nginx.log()).map(({ status }) => status).sort()).toEqual([200, 413, 413])
      expect(emulator.ledger).toHaveLength(1)
    },
  )

  protocols('%s: a stream that exceeds the limit of a proxy fails with PayloadTooLargeError', async (_, http2) => {
    const directives = ['client_max_body_size 64k']
    const { emulator, clientWith } = await emulatorBehindNginx({ http2, directives })
    const chunks = Array.from({ length: 20 }, () => Buffer.alloc(20_000, 7))

    const error = await thrownBy(clientWith().checks.liveness({ image: Readable.from(chunks) }))

    expect(error).toBeInstanceOf(PayloadTooLargeError)
    expect(error).toMatchObject({ code: 'http_413', attempts: 1 })
    expect(emulator.ledger).toEqual([])
  })

  protocols('%s: a service that is down causes a ServerError after three attempts with one key', async (_, http2) => {
    const { nginx, clientWith, leave } = await emulatorBehindNginx({ http2 })
    await leave()

    const error = await thrownBy(clientWith().checks.age(born))

    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ status: 502, code: 'http_502', attempts: 3 })
    const { idempotencyKey } = error as ServerError
    expect(await keysOf(nginx, 3)).toEqual(new Set([idempotencyKey]))
  })

  it('retries a GET if the service is down, but not sessions.create', async () => {
    const { nginx, clientWith, leave } = await emulatorBehindNginx()
    const client = clientWith()
    await leave()

    await expect(client.sessions.list()).rejects.toMatchObject({ code: 'http_502', attempts: 3 })
    await expect(client.sessions.create()).rejects.toMatchObject({ code: 'http_502', attempts: 1 })
    await expect.poll(() => nginx.log()).toHaveLength(4)
  })

  it('charges once if the service comes back between two attempts', async () => {
    const { emulator, nginx, clientWith, leave, comeBack } = await emulatorBehindNginx()
    await leave()

    await clientWith({ sleep: comeBack }).checks.liveness(upload(50_000))

    expect(await keysOf(nginx, 2)).toEqual(new Set([emulator.ledger[0]?.idempotencyKey]))
    expect(emulator.ledger).toHaveLength(1)
  })

  it.each(['before', 'after'] as const)(
    'retries a 504 of a proxy that timed out %s the work, with one charge',
    async (when) => {
      const { emulator, nginx, clientWith } = await emulatorBehindNginx({
        directives: ['proxy_read_timeout 1s'],
      })
      emulator.faults.add({ match: 'checks.age', delayMs: 5000, when })

      const { response } = await clientWith().checks.age(born).withResponse()

      expect(response.attempts).toBe(2)
      expect((await keysOf(nginx, 2)).size).toBe(1)
      expect((await nginx.log()).map(({ status }) => status)).toEqual([504, 200])
      expect(emulator.ledger).toHaveLength(1)
    },
  )

  it('a ServerError after repeated timeouts of a proxy has the key that returns the outcome later', async () => {
    const { emulator, nginx, clientWith } = await emulatorBehindNginx({
      directives: ['proxy_read_timeout 1s'],
    })
    emulator.faults.add({ match: 'checks.age', delayMs: 5000, when: 'after', times: 3 })
    const client = clientWith()

    const error = await thrownBy(client.checks.age(born))

    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ status: 504, code: 'http_504', attempts: 3 })
    const { idempotencyKey } = error as ServerError
    expect(emulator.ledger).toMatchObject([{ idempotencyKey }])
    await expect(client.checks.age(born, { idempotencyKey })).resolves.toMatchObject({ status: 'passed' })
    expect(emulator.ledger).toHaveLength(1)
    expect(await keysOf(nginx, 4)).toEqual(new Set([idempotencyKey]))
  })

  it('does not retry sessions.create after a timeout of a proxy', async () => {
    const { emulator, clientWith } = await emulatorBehindNginx({ directives: ['proxy_read_timeout 1s'] })
    emulator.faults.add({ match: 'sessions.create', delayMs: 5000, when: 'after' })

    const error = await thrownBy(clientWith().sessions.create())

    expect(error).toMatchObject({ name: 'ServerError', code: 'http_504', attempts: 1 })
    expect(emulator.requests).toHaveLength(1)
  })

  it('charges once if a proxy itself resends a request', async () => {
    const { emulator, clientWith } = await emulatorBehindNginx({
      upstreams: 2,
      directives: ['proxy_next_upstream error timeout non_idempotent'],
    })
    emulator.faults.add({ match: 'checks.age', reset: true, when: 'after' })

    const { response } = await clientWith().checks.age(born).withResponse()

    expect(response.attempts).toBe(1)
    expect(emulator.requests).toHaveLength(2)
    expect(emulator.ledger).toHaveLength(1)
  })
})

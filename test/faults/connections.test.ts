import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { type Fault, FaultProxy, type FaultProxyOptions, type ProxiedRequest } from '../support/fault-proxy.ts'
import { images, livenessCheck, standalone } from '../support/fixtures.ts'
import { rawResponse } from '../support/http-message.ts'
import { type Transport, transports } from '../support/transports.ts'
import { callKinds, clientsOver } from './calls.ts'

const timeoutMs = 30_000

/** Clients over a fault proxy. An attempt times out as soon as the proxy stalls. */
async function clientsBehind(transport: Transport, options: FaultProxyOptions) {
  const proxy = await FaultProxy.start({
    onClientWaits: ({ fault }) => fault.by === 'stall' && clients.advance(timeoutMs),
    ...options,
  })
  const clients = clientsOver(transport, proxy.url, { timeoutMs })
  onTestFinished(async () => {
    await proxy.close()
    await clients.close()
  })
  return { proxy, clients }
}

const outcomeOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => 'success' as const,
    (error: unknown) => error,
  )

const casesOf = <More extends object>(kinds: typeof callKinds, variants: readonly More[]) =>
  transports.flatMap((transport) =>
    kinds.flatMap((kind) =>
      variants.map((more) => ({ name: transport.name, transport, kind, call: kind.call, ...more })),
    ),
  )

const keysOf = (requests: readonly ProxiedRequest[]) => [
  ...new Set(requests.map(({ idempotencyKey }) => idempotencyKey)),
]

it.each(casesOf(callKinds, [{}]))(
  '$name: opens a new connection for $call if the kept one was closed after the last response',
  async ({ transport, kind }) => {
    const response = rawResponse(200, kind.success)
    const { proxy, clients } = await clientsBehind(transport, {
      script: () => ({ response, afterwards: 'close' }),
    })

    await kind.send(clients)
    await expect.poll(() => proxy.openSockets, { interval: 2 }).toBe(0)
    await kind.send(clients)

    expect(proxy.requests.map(({ connection }) => connection)).toEqual([0, 1])
  },
)

const endings = [
  { by: 'reset', how: 'is reset' },
  { by: 'close', how: 'is closed' },
] as const

it.each(casesOf(callKinds, endings))(
  '$name: retries $call only if that is safe, after a kept connection $how while the request is sent',
  async ({ transport, kind, by }) => {
    const response = rawResponse(200, kind.success)
    const script = ({ onConnection }: ProxiedRequest): Fault =>
      onConnection === 0 ? { response } : { at: 'request head', by }
    const { proxy, clients } = await clientsBehind(transport, { script })
    await kind.send(clients)
    // The connection returns to the pool a moment after the response.
    await setImmediate()

    const outcome = await outcomeOf(kind.send(clients))

    const [, ...requests] = proxy.requests
    expect(requests.map(({ connection, onConnection }) => [connection, onConnection])).toEqual(
      kind.isRepeatable
        ? [
            [0, 1],
            [1, 0],
          ]
        : [[0, 1]],
    )
    expect(keysOf(requests)).toHaveLength(1)
    const failure = { name: 'ConnectionError', attempts: 1, mayHaveArrived: true }
    if (kind.isRepeatable) expect(outcome).toBe('success')
    else if (!kind.isBillable) expect(outcome).toMatchObject(failure)
    else
      expect(outcome).toMatchObject({
        name: 'OutcomeUnknownError',
        idempotencyKey: keysOf(requests)[0],
        cause: failure,
      })
  },
)

it.each(casesOf(callKinds, [{}]))(
  '$name: retries $call only if that is safe, after a new connection is reset before the request is read',
  async ({ transport, kind }) => {
    const { proxy, clients } = await clientsBehind(transport, { resetsConnection: () => true })

    const outcome = await outcomeOf(kind.send(clients))

    const isUnknown = (outcome as Error).name === 'OutcomeUnknownError'
    const failure = isUnknown ? (outcome as Error).cause : outcome
    // It is a race whether the client notices the reset before it sends the first byte. The rules hold in both cases.
    const { mayHaveArrived } = failure as { mayHaveArrived: boolean }
    const isRepeated = kind.isRepeatable || (!mayHaveArrived && !kind.isOneShot)
    expect(failure).toMatchObject({ name: 'ConnectionError' })
    expect(isUnknown).toBe(kind.isBillable && mayHaveArrived)
    if (isRepeated) expect(proxy.connections).toBe(3)
    expect(outcome).toMatchObject({ attempts: proxy.connections })
    expect(proxy.requests).toEqual([])
  },
)

/** More bytes than the buffers of a connection, so that the client is still sending when the connection breaks. */
const large = new Uint8Array(8 * 2 ** 20)
large.set(images.png)
const live = rawResponse(200, { success: true, data: standalone(livenessCheck()), error: null })

it.each(
  transports.flatMap((transport) =>
    [...endings, { by: 'stall', how: 'stalls' } as const].map((ending) => ({
      name: transport.name,
      transport,
      ...ending,
    })),
  ),
)(
  '$name: sends an upload again with the same key and bytes after its connection $how in the middle',
  async ({ transport, by }) => {
    const script = ({ number }: ProxiedRequest): Fault => (number < 2 ? { at: 'request body', by } : { response: live })
    const { proxy, clients } = await clientsBehind(transport, { script })

    const { response } = await clients.verification.checks.liveness({ image: large }).withResponse()

    expect(response.attempts).toBe(3)
    expect(keysOf(proxy.requests)).toHaveLength(1)
    expect(new Set(proxy.requests.map(({ headers }) => headers['content-type'])).size).toBe(1)
    expect(proxy.requests.map(({ sha256 }) => typeof sha256)).toEqual(['undefined', 'undefined', 'string'])
  },
)

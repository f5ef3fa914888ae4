import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { type Fault, FaultProxy, type FaultProxyOptions, type ProxiedRequest } from '../support/fault-proxy.ts'
import { images, livenessCheck, standalone } from '../support/fixtures.ts'
import { rawResponse } from '../support/http-message.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import { forEachTransport, type Transport, transports } from '../support/transports.ts'
import { leaks } from './canaries.ts'
import { clientsOver, type Kind, kinds, kindsThatSucceed } from './kinds.ts'

async function over(transport: Transport, options: FaultProxyOptions, limits: { timeoutMs?: number } = {}) {
  const proxy = await FaultProxy.start(options)
  const { records: heard, options: hooks } = hookRecorder()
  const clients = clientsOver(transport, proxy.url, { ...hooks, ...limits })
  onTestFinished(async () => {
    await proxy.close()
    await clients.close()
    expect(leaks(...heard)).toEqual([])
  })
  return { proxy, clients }
}

const outcomeOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => 'done' as const,
    (error: unknown) => error,
  )

const each = (some: readonly Kind[], also: readonly object[] = [{}]) =>
  transports.flatMap((transport) =>
    some.flatMap((kind) =>
      also.map((more) => ({ name: transport.name, transport, kind, call: kind.call, ...more })),
    ),
  )

/** May be sent again after a break in mid-flight: behaviour.md, "Retries". */
const mayRepeat = ({ replay }: Kind) => replay === 'safe' || replay === 'with-key'

const keysOf = (seen: readonly ProxiedRequest[]) => [
  ...new Set(seen.map(({ idempotencyKey }) => idempotencyKey)),
]

it.each(each(kindsThatSucceed))(
  '$name: a connection that was closed after a call is not used for $call',
  async ({ transport, kind }) => {
    const answer = rawResponse(200, kind.success)
    const { proxy, clients } = await over(transport, { script: () => ({ response: answer, afterwards: 'close' }) })

    await kind.send(clients)
    await expect.poll(() => proxy.openSockets, { interval: 2 }).toBe(0)
    await kind.send(clients)

    expect(proxy.requests.map(({ connection }) => connection)).toEqual([0, 1])
  },
)

it.each(
  each(kindsThatSucceed, [{ by: 'reset' }, { by: 'close' }]) as (ReturnType<typeof each>[number] & Fault)[],
)(
  '$name: a kept connection ends ($by) just as $call comes: it is sent again only where that is safe',
  async ({ transport, kind, by }) => {
    const answer = rawResponse(200, kind.success)
    const script = ({ onConnection }: ProxiedRequest): Fault =>
      onConnection === 0 ? { response: answer } : { at: 'request head', by }
    const { proxy, clients } = await over(transport, { script })
    await kind.send(clients)
    // The pool has the connection back a moment after the answer.
    await setImmediate()

    const outcome = await outcomeOf(kind.send(clients))

    const [, ...seen] = proxy.requests
    expect(seen.map(({ connection, onConnection }) => [connection, onConnection])).toEqual(
      mayRepeat(kind)
        ? [
            [0, 1],
            [1, 0],
          ]
        : [[0, 1]],
    )
    expect(keysOf(seen)).toHaveLength(1)
    const failure = { name: 'ConnectionError', attempts: 1, mayHaveArrived: true }
    if (mayRepeat(kind)) expect(outcome).toBe('done')
    else if (!kind.isBillable) expect(outcome).toMatchObject(failure)
    else
      expect(outcome).toMatchObject({
        name: 'OutcomeUnknownError',
        idempotencyKey: keysOf(seen)[0],
        cause: failure,
      })
  },
)

it.each(each(kinds))(
  '$name: a connection is reset before $call is read: it is sent again where that is safe',
  async ({ transport, kind }) => {
    const { proxy, clients } = await over(transport, { resetsConnection: () => true })

    const outcome = await outcomeOf(kind.send(clients))

    const isUnknown = (outcome as Error).name === 'OutcomeUnknownError'
    const failure = isUnknown ? (outcome as Error).cause : outcome
    // Whether the reset is found before the first byte is a race; what follows from either is not.
    const { mayHaveArrived } = failure as { mayHaveArrived: boolean }
    const isRepeated = mayRepeat(kind) || (!mayHaveArrived && kind.replay !== 'one-shot')
    expect(failure).toMatchObject({ name: 'ConnectionError' })
    expect(isUnknown).toBe(kind.isBillable && mayHaveArrived)
    if (isRepeated) expect(proxy.connections).toBe(3)
    expect(outcome).toMatchObject({ attempts: proxy.connections })
    expect(proxy.requests).toEqual([])
  },
)

it.each(each(kindsThatSucceed))('$name: an answer to $call in gzip is read', async ({ transport, kind }) => {
  const packed = gzipSync(JSON.stringify(kind.success))
  const answer = rawResponse(200, packed, { 'content-encoding': 'gzip', 'content-type': 'text/html' })
  const { clients } = await over(transport, { script: () => ({ response: answer }) })

  expect(await outcomeOf(kind.send(clients))).toBe('done')
})

it.each(each(kindsThatSucceed.slice(0, 2)))(
  '$name: an answer to $call that comes byte by byte, within its time, is read',
  async ({ transport, kind }) => {
    const answer = rawResponse(200, kind.success)
    const { clients } = await over(transport, { script: () => ({ response: answer, trickle: 'head', everyMs: 0 }) })

    expect(await outcomeOf(kind.send(clients))).toBe('done')
  },
)

/** More than the buffers of a connection hold: the client is still writing when it breaks. */
const large = new Uint8Array(8 * 2 ** 20)
large.set(images.png)
const live = rawResponse(200, { success: true, data: standalone(livenessCheck()), error: null })

it.each(
  transports.flatMap((transport) =>
    (['reset', 'close', 'stall'] as const).map((by) => ({ name: transport.name, transport, by })),
  ),
)(
  '$name: an upload that meets a $by halfway is sent again, whole and the same',
  async ({ transport, by }) => {
    const script = ({ number }: ProxiedRequest): Fault =>
      number < 2 ? { at: 'request body', by } : { response: live }
    const limits = by === 'stall' ? { timeoutMs: 500 } : {}
    const { proxy, clients } = await over(transport, { script }, limits)

    const { response } = await clients.verification.checks.liveness({ image: large }).withResponse()

    expect(response.attempts).toBe(3)
    expect(keysOf(proxy.requests)).toHaveLength(1)
    expect(new Set(proxy.requests.map(({ headers }) => headers['content-type'])).size).toBe(1)
    expect(proxy.requests.map(({ sha256 }) => typeof sha256)).toEqual(['undefined', 'undefined', 'string'])
  },
  20_000,
)

forEachTransport('$name: a stream that met a reset halfway is not begun again', async (transport) => {
  const { proxy, clients } = await over(transport, { script: () => ({ at: 'request body' }) })
  const chunks = Array.from({ length: 128 }, (_, i) => large.subarray(i * 65_536, (i + 1) * 65_536))

  const call = clients.verification.checks.liveness({ image: Readable.from(chunks) })

  await expect(call).rejects.toMatchObject({ name: 'OutcomeUnknownError', attempts: 1 })
  expect(proxy.requests).toHaveLength(1)
})

forEachTransport(
  '$name: an image that is opened anew for each attempt is the same request each time',
  async (transport) => {
    const script = ({ number }: ProxiedRequest): Fault => ({ response: number < 2 ? rawResponse(503) : live })
    const { proxy, clients } = await over(transport, { script })

    await clients.verification.checks.liveness({ image: () => Readable.from([images.png, images.jpeg]) })

    expect(proxy.requests).toHaveLength(3)
    expect(keysOf(proxy.requests)).toHaveLength(1)
    expect(new Set(proxy.requests.map(({ sha256 }) => sha256)).size).toBe(1)
  },
)

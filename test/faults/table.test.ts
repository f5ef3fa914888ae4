import { expect, it, onTestFinished } from 'vitest'
import { type Fault, FaultProxy } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { transports } from '../support/transports.ts'
import { callKinds, clientsOver } from './calls.ts'

const timeoutMs = 1000
const response = rawResponse(200, { success: true, data: { status: 'APPROVED' }, error: null })

/** Where an exchange ends early, and how. Every attempt meets the fault. */
const broken: Readonly<Record<string, Fault>> = {
  'a reset after the request head': { at: 'request head' },
  'a reset in the request body': { at: 'request body' },
  'a reset after the request': { at: 'request' },
  'a reset after the execution': { at: 'request', forward: true },
  'a close after the request head': { at: 'request head', by: 'close' },
  'a close instead of a response': { at: 'request', by: 'close' },
  'a reset in the response head': { response, at: 'response head' },
  'a close in the response head': { response, at: 'response head', by: 'close' },
  'a reset in the response body': { response, at: 'response body' },
  'a close in the response body': { response, at: 'response body', by: 'close' },
  'bytes that are not HTTP': { response: Buffer.from('SSH-2.0 OpenSSH_9.6\r\n\r\n'), afterwards: 'close' },
}

/** Faults that only `timeoutMs` ends. */
const silent: Readonly<Record<string, Fault>> = {
  'silence after the request head': { at: 'request head', by: 'stall' },
  'silence after the request': { at: 'request', by: 'stall' },
  'silence after the execution': { at: 'request', by: 'stall', forward: true },
  'silence in the response head': { response, at: 'response head', by: 'stall' },
  'silence in the response body': { response, at: 'response body', by: 'stall' },
  'a trickling response': { response, trickle: 'head', everyMs: 1 },
  'a trickling response body': { response, trickle: 'body', everyMs: 1 },
}

const rows = [
  ...Object.entries(broken).map(([fault, does]) => ({ fault, does, error: 'ConnectionError' })),
  ...Object.entries(silent).map(([fault, does]) => ({ fault, does, error: 'TimeoutError' })),
]
const cases = transports.flatMap((transport) =>
  rows.flatMap((row) =>
    callKinds.map((kind) => ({
      ...row,
      name: transport.name,
      transport,
      kind,
      call: kind.call,
      attempts: kind.isRepeatable ? 3 : 1,
    })),
  ),
)

it.each(cases)(
  '$name: makes $attempts attempts of $call if each ends with $fault',
  async ({ transport, kind, does, error: name, attempts }) => {
    const service = await FaultProxy.start({ script: () => ({ response: rawResponse(200, '{}') }) })
    const proxy = await FaultProxy.start({
      target: service.url,
      script: () => does,
      // A trickle ends after a few bytes, and a stall at once.
      onClientWaits: ({ fault }) => clients.advance(fault.trickle ? timeoutMs / 4 : timeoutMs),
    })
    const clients = clientsOver(transport, proxy.url, { timeoutMs })
    onTestFinished(async () => {
      // Closing the proxies ends requests that are still open, because closing a pool waits for them.
      await Promise.all([proxy.close(), service.close()])
      await clients.close()
    })

    const error = await thrownBy(kind.send(clients))

    const failure = { name, attempts, mayHaveArrived: true }
    const [first] = proxy.requests
    if (kind.isBillable)
      expect(error).toMatchObject({
        name: 'OutcomeUnknownError',
        attempts,
        idempotencyKey: first?.idempotencyKey,
        cause: failure,
      })
    else expect(error).toMatchObject(failure)
    expect(proxy.requests).toHaveLength(attempts)
    expect(proxy.requests.filter(({ forwarded }) => forwarded)).toHaveLength(does.forward ? attempts : 0)
    const heads = proxy.requests.map(({ method, path, headers }) => JSON.stringify([method, path, headers]))
    expect(new Set(heads).size).toBe(1)
    expect(new Set(proxy.requests.flatMap(({ sha256 }) => sha256 ?? [])).size).toBeLessThanOrEqual(1)
    expect(clients.waits).toEqual([500, 1000].slice(0, attempts - 1))
  },
)

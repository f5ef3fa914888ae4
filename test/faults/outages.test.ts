import { expect, it, onTestFinished } from 'vitest'
import { type Fault, FaultProxy } from '../support/fault-proxy.ts'
import { aSession } from '../support/fixtures.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import { rawResponse } from '../support/http-message.ts'
import { forEachTransport, type Transport, transports } from '../support/transports.ts'
import { clientsOver } from './calls.ts'
import { leaks } from './canaries.ts'

/** Retries of a client before any of its calls succeeds. */
const budget = 50
const calls = 60

async function outageOver(transport: Transport, script: () => Fault) {
  const proxy = await FaultProxy.start({ script })
  const { records, options: hooks } = hookRecorder()
  const { verification, close } = clientsOver(transport, proxy.url, { maxRetries: 10, ...hooks })
  onTestFinished(async () => {
    await proxy.close()
    await close()
    expect(leaks(...records)).toEqual([])
  })
  const read = () =>
    verification.sessions.retrieve('sess_1').then(
      () => 'success',
      (error: unknown) => (error as Error).name,
    )
  return { proxy, read }
}

const outages: readonly [what: string, does: Fault, error: string][] = [
  ['429', { response: rawResponse(429) }, 'RateLimitError'],
  ['500', { response: rawResponse(500) }, 'ServerError'],
  ['503', { response: rawResponse(503, '', { 'retry-after': '1' }) }, 'ServerError'],
  ['a reset', { at: 'request' }, 'ConnectionError'],
]

it.each(
  transports.flatMap((transport) =>
    outages.map(([what, does, error]) => ({ name: transport.name, transport, what, does, error })),
  ),
)('$name: sends 50 retries in all if every request of 60 concurrent calls ends with $what', async (row) => {
  const { proxy, read } = await outageOver(row.transport, () => row.does)

  const outcomes = await Promise.all(Array.from({ length: calls }, read))

  expect(new Set(outcomes)).toEqual(new Set([row.error]))
  expect(proxy.requests).toHaveLength(calls + budget)
})

forEachTransport(
  '$name: adds one retry for each call that succeeds at its first attempt after an outage',
  async (transport) => {
    let does: Fault = { response: rawResponse(503) }
    const { proxy, read } = await outageOver(transport, () => does)
    for (let i = 0; i < 10; i++) await read()
    const duringTheOutage = proxy.requests.length
    does = { response: rawResponse(200, { success: true, data: aSession(), error: null }) }
    for (let i = 0; i < 3; i++) expect(await read()).toBe('success')
    does = { response: rawResponse(503) }

    await read()
    await read()

    expect(duringTheOutage).toBe(10 + budget)
    expect(proxy.requests).toHaveLength(duringTheOutage + 3 + (1 + 3) + 1)
  },
)

import { expect, it, onTestFinished } from 'vitest'
import { type Fault, FaultProxy } from '../support/fault-proxy.ts'
import { aSession } from '../support/fixtures.ts'
import { rawResponse } from '../support/http-message.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import { forEachTransport, type Transport, transports } from '../support/transports.ts'
import { leaks } from './canaries.ts'
import { clientsOver } from './kinds.ts'

/** Retries that a client has before any call succeeds (behaviour.md, "Retries"). */
const budget = 50
const calls = 60

async function stormOver(transport: Transport, script: () => Fault) {
  const proxy = await FaultProxy.start({ script })
  const { records: heard, options: hooks } = hookRecorder()
  const { verification, close } = clientsOver(transport, proxy.url, { maxRetries: 10, ...hooks })
  onTestFinished(async () => {
    await proxy.close()
    await close()
    expect(leaks(...heard)).toEqual([])
  })
  const read = () =>
    verification.sessions.retrieve('sess_1').then(
      () => 'done',
      (error: unknown) => (error as Error).name,
    )
  return { proxy, read }
}

const storms: readonly [what: string, does: Fault, error: string][] = [
  ['429', { response: rawResponse(429) }, 'RateLimitError'],
  ['500', { response: rawResponse(500) }, 'ServerError'],
  ['503', { response: rawResponse(503, '', { 'retry-after': '1' }) }, 'ServerError'],
  ['resets', { at: 'request' }, 'ConnectionError'],
]

it.each(
  transports.flatMap((transport) =>
    storms.map(([what, does, error]) => ({ name: transport.name, transport, what, does, error })),
  ),
)('$name: a storm of $what gets 50 retries of a client, however many calls it makes', async (row) => {
  const { proxy, read } = await stormOver(row.transport, () => row.does)

  const outcomes = await Promise.all(Array.from({ length: calls }, read))

  expect(new Set(outcomes)).toEqual(new Set([row.error]))
  expect(proxy.requests).toHaveLength(calls + budget)
})

forEachTransport('$name: after a storm each call that succeeds at once earns one retry', async (transport) => {
  let does: Fault = { response: rawResponse(503) }
  const { proxy, read } = await stormOver(transport, () => does)
  for (let i = 0; i < 10; i++) await read()
  const spent = proxy.requests.length
  does = { response: rawResponse(200, { success: true, data: aSession(), error: null }) }
  for (let i = 0; i < 3; i++) expect(await read()).toBe('done')
  does = { response: rawResponse(503) }

  await read()
  await read()

  expect(spent).toBe(10 + budget)
  expect(proxy.requests).toHaveLength(spent + 3 + (1 + 3) + 1)
})

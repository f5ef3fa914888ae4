import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { VerificationClient, type VerificationClientOptions } from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { FaultProxy } from '../support/fault-proxy.ts'
import { ageCheck, standalone } from '../support/fixtures.ts'
import { rawResponse } from '../support/http-message.ts'
import {
  breakConnection,
  fail,
  hang,
  refuseConnection,
  respond,
  type Step,
  succeed,
} from '../support/scripted-fetch.ts'
import { nameOf, randomFault } from './random-fault.ts'
import { oneOf, randomStream, runConcurrently, setting, Tally } from './random-stream.ts'
import { sized } from './size.ts'

const inProcessCalls = sized(80_000)
const socketCalls = sized(20_000)
const seed = setting('CAMPAIGN_SEED', Math.floor(Math.random() * 2 ** 31))
/** Limit for all calls together. A leak of a hundred bytes for each call would be several times as much. */
const mostHeapBytes = 2 * 1024 * 1024
const attemptMs = 60
/** Vitest sometimes has timers of its own. */
const timersOfVitest = 2

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** The heap in use after everything possible was collected. */
async function heapBytes(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    collect()
  }
  return process.memoryUsage().heapUsed
}

/** Resources that would keep the process alive, or grow with the number of calls. */
function resourcesOf(signal: AbortSignal) {
  const resources = new Tally()
  for (const resource of process.getActiveResourcesInfo()) resources.add(resource)
  const { Timeout: timers = 0, TCPSocketWrap: sockets = 0, TCPServerWrap: servers = 0 } = resources.counts
  const onProcess = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return { timers, sockets, servers, onProcess, onSignal: getEventListeners(signal, 'abort').length }
}

const listenersOf = (agent: Agent) =>
  agent.eventNames().reduce<number>((sum, name) => sum + agent.listenerCount(name), 0)

/** Sends calls with different ends, nearly all of them with one signal. Counts their results. */
async function sendMany(client: VerificationClient, calls: number, from: number, signal: AbortSignal) {
  const results = new Tally()
  let ownListeners = 0
  await runConcurrently(calls, 24, async (number) => {
    const random = randomStream(seed, from + number)
    const own = random() < 0.05 ? new AbortController() : undefined
    const abort = own && setTimeout(() => own.abort(), random() * 20)
    const options = {
      signal: own?.signal ?? signal,
      ...(random() < 0.1 ? { deadlineMs: Math.ceil(random() * attemptMs * 2) } : {}),
    }
    const call =
      number % 3 === 0
        ? client.sessions.list({}, options)
        : number % 3 === 1
          ? client.checks.age({ dob: '1990-12-10', bands: [18] }, options)
          : client.checks.liveness({ image: Buffer.alloc(500, 7) }, options)
    await Promise.resolve(call).then(
      () => results.add('success'),
      (error: Error) => results.add(error.name),
    )
    clearTimeout(abort)
    if (own) ownListeners += getEventListeners(own.signal, 'abort').length
  })
  return { results: results.counts, ownListeners }
}

const result = standalone(ageCheck())

const faultySteps: readonly Step[] = [
  breakConnection,
  refuseConnection,
  hang,
  fail(503, 'engine_unreachable'),
  fail(429, 'rate_limited', { 'retry-after': '0' }),
  fail(400, 'validation_error'),
  respond(502, '<html>'),
  respond(200, 'no JSON'),
]

/** Real waits of no time, so that their timers and listeners exist. */
const shortestWaits = { random: () => 0 }

function clientOf(options: VerificationClientOptions) {
  const settings = { apiKey: 'key_1', timeoutMs: attemptMs, responseValidation: 'off' as const, ...options }
  const hidden: object = { ...settings, [timing]: shortestWaits }
  return new VerificationClient(hidden)
}

/** Collects the warnings of Node, which warns of leaks, until the test ends. */
function warnings() {
  const names: string[] = []
  const listener = ({ name }: Error) => void names.push(name)
  process.on('warning', listener)
  onTestFinished(() => void process.off('warning', listener))
  return names
}

it(`leaves no listener, timer or memory after ${inProcessCalls} calls over a fetch`, async () => {
  const { signal } = new AbortController()
  const warned = warnings()
  let random = randomStream(seed, 1)
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const step = random() < 0.2 ? oneOf(faultySteps, random) : succeed(result)
    return step(init?.signal ?? signal)
  }
  const client = clientOf({ baseUrl: 'https://id.example.test', fetch })
  await sendMany(client, 4000, 0, signal)
  random = randomStream(seed, 2)
  const atFirst = resourcesOf(signal)
  const before = { ...atFirst, heap: await heapBytes() }
  const startedAt = performance.now()

  const { results, ownListeners } = await sendMany(client, inProcessCalls, 4000, signal)
  await client.close()

  // Read at once, because leaked timers would end by themselves a moment later.
  const inTheEnd = resourcesOf(signal)
  const seconds = (performance.now() - startedAt) / 1000
  const after = { ...resourcesOf(signal), heap: await heapBytes() }
  console.log('resources after calls over a fetch', {
    seed,
    calls: inProcessCalls,
    seconds,
    results,
    before,
    inTheEnd,
    after,
    warned,
  })
  expect(inTheEnd.timers).toBeLessThanOrEqual(timersOfVitest)
  expect({ ...inTheEnd, timers: 0 }).toEqual({ ...atFirst, timers: 0 })
  expect({ ownListeners, onSignal: after.onSignal, warned }).toEqual({
    ownListeners: 0,
    onSignal: 0,
    warned: [],
  })
  expect(after.heap - before.heap).toBeLessThan(mostHeapBytes)
})

it.each(["the client's own pool", 'a dispatcher of the caller'])(
  `leaves no listener, timer, socket or memory after ${socketCalls / 2} calls over sockets of %s`,
  async (whose) => {
    const { signal } = new AbortController()
    const warned = warnings()
    const sockets = new Set<WeakRef<Socket>>()
    const record = (message: unknown) => void sockets.add(new WeakRef((message as { socket: Socket }).socket))
    subscribe('undici:client:connected', record)
    onTestFinished(() => void unsubscribe('undici:client:connected', record))
    const atFirst = resourcesOf(signal)
    const success = { response: rawResponse(200, { success: true, data: result, error: null }) }
    const faults = new Tally()
    const proxy = await FaultProxy.start({
      script({ number }) {
        const random = randomStream(seed, 3, faults.counts.all ?? number)
        faults.add('all')
        const fault = random() < 0.5 ? randomFault(random, []) : undefined
        if (fault) faults.add(nameOf(fault) ?? '')
        // The proxy has no target, so it responds itself to requests without a fault.
        return { ...success, ...fault, forward: false }
      },
    })
    onTestFinished(() => proxy.close())
    const agent = new Agent()
    onTestFinished(() => agent.destroy())
    const client = clientOf({
      baseUrl: proxy.url,
      ...(whose === "the client's own pool" ? {} : { dispatcher: agent }),
    })
    await sendMany(client, 1000, 0, signal)
    proxy.requests.length = 0
    const listenersBefore = listenersOf(agent)
    const before = { ...resourcesOf(signal), heap: await heapBytes() }
    const startedAt = performance.now()

    const { results, ownListeners } = await sendMany(client, socketCalls / 2, 1000, signal)
    await client.close()
    if (whose !== "the client's own pool") await agent.close()

    const seconds = (performance.now() - startedAt) / 1000
    const isOpen = (socket: WeakRef<Socket>) => socket.deref()?.destroyed === false
    await expect.poll(() => [...sockets].filter(isOpen).length, { timeout: 10_000 }).toBe(0)
    const opened = sockets.size
    sockets.clear()
    proxy.requests.length = 0
    const listenersAfter = listenersOf(agent)
    await proxy.close()
    const after = { ...resourcesOf(signal), heap: await heapBytes() }
    const attempts = faults.counts.all
    console.log(`resources after calls over ${whose}`, {
      seed,
      calls: socketCalls / 2,
      seconds,
      attempts,
      sockets: opened,
    })
    console.log({
      faults: faults.counts,
      results,
      atFirst,
      before,
      after,
      warned,
      listenersBefore,
      listenersAfter,
    })
    expect(after.timers).toBeLessThanOrEqual(timersOfVitest)
    await expect
      .poll(() => ({ ...resourcesOf(signal), timers: 0 }), { timeout: 10_000 })
      .toEqual({ ...atFirst, timers: 0 })
    expect({ ownListeners, warned }).toEqual({ ownListeners: 0, warned: [] })
    expect(listenersAfter).toBe(listenersBefore)
    expect(after.heap - before.heap).toBeLessThan(mostHeapBytes)
  },
)

import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import {
  ApiError,
  isSdkError,
  OrgClient,
  OutcomeUnknownError,
  type RequestOptions,
  type Session,
  VerificationClient,
} from '../../src/index.ts'
import { realTiming, timing } from '../../src/runtime/timing.ts'
import { FaultProxy, type ProxiedRequest } from '../support/fault-proxy.ts'
import { testTiming } from '../support/timing.ts'
import { transports } from '../support/transports.ts'
import { type Clients, type RandomCall, randomCall, vendorData } from './random-call.ts'
import { attemptMs, faultNames, nameOf, randomFault } from './random-fault.ts'
import { oneOf, randomStream, runConcurrently, setting, Tally } from './random-stream.ts'
import { sized } from './size.ts'

const calls = setting('CAMPAIGN_CALLS', sized(10_000))
const seed = setting('CAMPAIGN_SEED', Math.floor(Math.random() * 2 ** 31))
/** Runs only one call of a seed. */
const only = setting('CAMPAIGN_ONLY', -1)
const atOnce = setting('CAMPAIGN_AT_ONCE', 24)

const numberHeader = 'x-campaign-call'
const maxRetries = 3

/** What the caller of one logical call gets. */
interface Outcome {
  readonly number: number
  readonly call: RandomCall
  readonly result?: unknown
  readonly error?: unknown
}

/** Whether the call was executed, as the caller can conclude from the documented rules. */
function executionOf({ error }: Outcome): 'executed' | 'not executed' | 'unknown' {
  if (error === undefined) return 'executed'
  if (error instanceof ApiError && error.status >= 400 && error.status < 500)
    return error.status === 408 || error.status === 409 || error.status === 429 ? 'unknown' : 'not executed'
  return (error as { mayHaveArrived?: boolean }).mayHaveArrived === false ? 'not executed' : 'unknown'
}

const keyOf = (error: unknown) => (error as { idempotencyKey?: string } | undefined)?.idempotencyKey

/** Starts the emulator behind a fault proxy, and clients over both transports. */
async function startCampaign() {
  const emulator = createEmulator({ seed, wallet: { balance: 1e6 } })
  const server = await emulator.listen()
  const attemptsOf = new Map<number, ProxiedRequest[]>()
  const connectionFaults = new Tally()
  const proxy = await FaultProxy.start({
    target: server.url,
    script(request) {
      const number = Number(request.headers[numberHeader] ?? -1)
      if (number < 0) return undefined
      const earlier = attemptsOf.get(number) ?? []
      attemptsOf.set(number, [...earlier, request])
      return randomFault(randomStream(seed, number, earlier.length + 1), earlier)
    },
    resetsConnection(connection) {
      const resets = only < 0 && randomStream(seed, connection)() < 0.01
      if (resets) connectionFaults.add('connection reset')
      return resets
    },
  })
  const verificationOptions = emulator.options.verification
  const orgOptions = emulator.options.org
  const clients: Clients[] = transports.map(({ options }) => {
    // Waits take no time. Timeouts are real, because the proxy delays responses in real time.
    const { timing: clock } = testTiming({ random: Math.random, timer: realTiming.timer })
    const common = { baseUrl: proxy.url, timeoutMs: attemptMs, maxRetries, ...options, [timing]: clock }
    return {
      verification: new VerificationClient({ ...verificationOptions, ...common }),
      org: new OrgClient({ ...orgOptions, ...common }),
    }
  })
  onTestFinished(async () => {
    for (const { verification, org } of clients) await Promise.all([verification.close(), org.close()])
    await proxy.close()
    await server.close()
  })
  return { emulator, proxy, clients, attemptsOf, connectionFaults }
}

/** Stops the proxy for a moment, or makes the service respond late or with an error after the execution. */
function disturb(number: number, { emulator, proxy, connectionFaults }: Awaited<ReturnType<typeof startCampaign>>) {
  if (number % 1000 === 500) {
    connectionFaults.add('connection refused')
    void proxy.stopListening().then(() => setTimeout(() => proxy.listen(), 20))
  }
  if (number % 40 !== 20) return
  const match = oneOf(['checks.age', 'checks.liveness', 'checks.faceMatch'] as const, randomStream(seed, number, 99))
  if (number % 80 === 20) emulator.faults.add({ match, delayMs: attemptMs * 1.5 })
  else emulator.faults.add({ match, status: 504, when: 'after' })
  connectionFaults.add(number % 80 === 20 ? 'service responds late' : 'service responds with 504 after the execution')
}

it(`charges each of ${calls} calls under random faults at most once, and finds every unknown outcome`, async () => {
  process.stdout.write(`campaign: CAMPAIGN_SEED=${seed} CAMPAIGN_CALLS=${calls}\n`)
  const startedAt = performance.now()
  const campaign = await startCampaign()
  const { emulator, proxy, clients, attemptsOf, connectionFaults } = campaign
  const outcomes: Outcome[] = []
  const violations: string[] = []
  const report = (number: number, what: string) =>
    violations.push(`${what} (to reproduce: CAMPAIGN_SEED=${seed} CAMPAIGN_CALLS=${calls} CAMPAIGN_ONLY=${number})`)

  await runConcurrently(calls, atOnce, async (number) => {
    if (only >= 0 && number !== only) return
    if (only < 0) disturb(number, campaign)
    const random = randomStream(seed, number, 0)
    const call = randomCall(number, random)
    const options: RequestOptions = {
      headers: { [numberHeader]: String(number) },
      ...(random() < 0.04 ? { deadlineMs: Math.ceil(random() * 2000) } : {}),
      ...(random() < 0.04 ? { signal: AbortSignal.timeout(Math.floor(random() * 30)) } : {}),
    }
    const client = clients[number % clients.length] as Clients
    outcomes.push(
      await Promise.resolve(call.send(client, options)).then(
        (result) => ({ number, call, result }),
        (error: unknown) => ({ number, call, error }),
      ),
    )
  })
  emulator.faults.clear()

  // A caller with an unknown outcome sends the call again, with the same key and without faults.
  const lost: number[] = []
  let resent = 0
  for (const { number, call, error } of outcomes.filter(
    (one) => one.call.isBillable && executionOf(one) === 'unknown',
  )) {
    resent++
    const idempotencyKey = keyOf(error)
    const failure = await Promise.resolve(call.send(clients[0] as Clients, { idempotencyKey, timeoutMs: 10_000 })).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (idempotencyKey === undefined || failure !== undefined) {
      lost.push(number)
      report(number, `${call.operation}: its outcome is lost: ${failure}`)
    }
  }

  const chargesOf = new Tally()
  for (const { idempotencyKey = 'none' } of emulator.ledger) chargesOf.add(idempotencyKey)
  const { baseUrl: _, ...inProcess } = emulator.options.verification
  const sessions = await new VerificationClient({ baseUrl: proxy.url, ...inProcess }).sessions.list()
  const sessionsOf = new Tally()
  for (const { vendor_data } of sessions as (Session & { vendor_data: string })[]) sessionsOf.add(vendor_data)

  const results = new Tally()
  let expectedCharges = 0
  const doubleCharges: number[] = []
  for (const one of outcomes) {
    const { number, call, error, result } = one
    results.add(error === undefined ? 'success' : `${(error as Error).name}`)
    const execution = executionOf(one)
    const attempts = attemptsOf.get(number) ?? []
    const key = attempts[0]?.idempotencyKey
    if (error !== undefined && !isSdkError(error)) report(number, `${call.operation}: ${error} is not an SdkError`)
    if (new Set(attempts.map(({ idempotencyKey }) => idempotencyKey)).size > 1)
      report(number, `${call.operation}: its attempts have several keys`)
    const bodies = attempts.flatMap(({ sha256 }) => sha256 ?? [])
    if (new Set(bodies).size > 1) report(number, `${call.operation}: its attempts differ`)
    if (call.isBillable) {
      if (error !== undefined && keyOf(error) === undefined) report(number, `${call.operation}: ${error} has no key`)
      if (key !== undefined && error !== undefined && keyOf(error) !== key)
        report(number, `${call.operation}: the error has another key`)
      const keys = new Set([...attempts.map((attempt) => attempt.idempotencyKey), keyOf(error)])
      const charges = [...keys].reduce((sum, each) => sum + (chargesOf.counts[each ?? ''] ?? 0), 0)
      if (charges > 1) doubleCharges.push(number)
      const expected = execution === 'not executed' ? 0 : 1
      expectedCharges += expected
      if (charges !== expected)
        report(
          number,
          `${call.operation}: ${charges} charges, result ${error ?? 'success'}, cause ${(error as Error)?.cause}`,
        )
    }
    if (call.operation === 'session creation') {
      const created = sessionsOf.counts[vendorData(number)] ?? 0
      if (created > 1 || (execution === 'executed' && created !== 1) || (execution === 'not executed' && created !== 0))
        report(number, `session creation: ${created} created, result ${error ?? JSON.stringify(result)}`)
    }
  }

  const faults = new Tally()
  for (const { fault } of proxy.requests) faults.add(nameOf(fault) ?? 'none')
  console.log({
    seed,
    calls: outcomes.length,
    'billable calls': outcomes.filter(({ call }) => call.isBillable).length,
    attempts: proxy.requests.length,
    connections: proxy.connections,
    faults: { ...faults.counts, ...connectionFaults.counts },
    results: results.counts,
    resent,
    charges: emulator.ledger.length,
    'expected charges': expectedCharges,
    'double charges': doubleCharges.length,
    'lost outcomes': lost.length,
    'created sessions': sessions.length,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  })
  expect(violations).toEqual([])
  expect(emulator.ledger).toHaveLength(expectedCharges)
  expect({ doubleCharges, lost }).toEqual({ doubleCharges: [], lost: [] })
  if (only >= 0 || calls < 10_000) return
  // A campaign without every fault and enough unknown outcomes proves little.
  expect(faultNames.filter((name) => faults.counts[name] === undefined)).toEqual([])
  expect(outcomes.filter(({ error }) => error instanceof OutcomeUnknownError).length).toBeGreaterThan(50)
})

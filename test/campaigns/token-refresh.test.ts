import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorServer } from '../../src/emulator.ts'
import { OidcClient, type TokenSet } from '../../src/index.ts'
import { describeWith } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { engine } from './engines.ts'
import { type Process, startProcess, startProcesses } from './process.ts'
import { sampled } from './size.ts'

const processes = 8
const callers = 50
// Long enough for eight processes that share two cores: a request that outlasts its lock has an unknown outcome.
const lockTtlMs = 4_000

/** The steps of a refresh, in order. */
const steps = ['get 1', 'set 1', 'compareAndSet 1', 'refresh 1', 'compareAndSet 2', 'compareAndDelete 1']
const crashes = sampled(
  steps.flatMap((step) => [`before ${step}`, `after ${step}`]),
  3,
)
/** A pause after a step differs from one before the next step only where the time is checked between them. */
const pauses = sampled([...steps.map((step) => `before ${step}`), 'after compareAndSet 1'], 2)
/** From the mark until the new tokens are stored it is unknown whether the refresh token was used. */
const unknown = ['after compareAndSet 1', 'before refresh 1', 'after refresh 1', 'before compareAndSet 2']

describeWith(engine.service, 'that processes that are killed or stopped refresh a token once', () => {
  const cluster = clusterOfProcesses()
  beforeAll(cluster.open)
  afterAll(cluster.close)

  it.each(crashes)('never presents a refresh token twice if a process is killed %s', async (crash) => {
    const person = await cluster.signIn()
    const victim = await startProcess('token-user.mjs', { ...cluster.env(), SIGNAL_AT: crash })
    const interrupted = victim.request({ key: person, callers: 1 }).catch(() => {})
    expect(await victim.ended).toBe('SIGKILL')
    await interrupted
    const sent = cluster.refreshes()

    const results = (await cluster.requestAll(person)).flat()
    const refreshes = cluster.refreshes()

    if (unknown.includes(crash)) {
      expect(new Set(results)).toEqual(new Set(['TokenManagerError refresh_outcome_unknown']))
      expect(refreshes).toBe(sent)
    } else {
      expect(new Set(results).size).toBe(1)
      expect(results[0]).toMatch(/^ey/)
      expect(cluster.refreshes()).toBe(1)
      await cluster.expectNothingRevoked(person)
    }
  })

  it.each(pauses)('never presents a refresh token twice if a process is paused past its lock %s', async (pause) => {
    const person = await cluster.signIn()
    const env = { ...cluster.env(), SIGNAL_AT: pause, SIGNAL: 'SIGSTOP' }
    const victim = await startProcess('token-user.mjs', env)
    onTestFinished(() => victim.kill())
    const interrupted = victim.request<string[]>({ key: person, callers: 1 })
    await expect.poll(() => stateOf(victim), { timeout: 30_000 }).toBe('T')

    const meanwhile = (await cluster.requestAll(person)).flat()
    process.kill(victim.pid, 'SIGCONT')
    const [resumed] = await interrupted
    const later = (await cluster.requestAll(person)).flat()

    const isUnknown = unknown.includes(pause)
    const outcome = isUnknown ? /^TokenManagerError refresh_outcome_unknown$/ : /^ey/
    for (const result of meanwhile) expect(result).toMatch(outcome)
    expect(resumed).toMatch(/^ey/)
    expect(new Set(later)).toEqual(new Set([resumed]))
    expect(cluster.refreshes()).toBe(1)
    await cluster.expectNothingRevoked(person)
  })
})

/** The state of a process: `T` if it is stopped. */
const stateOf = ({ pid }: Process) => / ([A-Z]) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]

function clusterOfProcesses() {
  let service: Service
  let emulator: Emulator
  let server: EmulatorServer
  let workers: Process[] = []
  let people = 0

  const oidcOptions = () => {
    const { fetch: _, ...overHttp } = emulator.options.oidc
    return overHttp
  }
  const env = () => ({
    STORE_URL: service.url,
    OIDC: JSON.stringify({ ...oidcOptions(), maxRetries: 0 }),
    LOCK_TTL_MS: String(lockTtlMs),
  })
  const worker = () => workers[people % processes] as Process

  return {
    env,
    async open() {
      emulator = createEmulator({ seed: 1 })
      server = await emulator.listen()
      service = await engine.start()
      workers = await startProcesses(processes, 'token-user.mjs', env())
    },
    async close() {
      for (const worker of workers) worker.kill()
      await service?.remove()
      await server?.close()
    },
    /** Signs in a person whose access token expires in half a minute. Returns the person's key. */
    async signIn(): Promise<string> {
      const oidc = new OidcClient(emulator.options.oidc)
      const login = await oidc.createAuthorization()
      const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
      const key = `person_${++people}`
      const save: TokenSet = { ...tokens, expiresAtSeconds: Math.floor(Date.now() / 1000) + 30 }
      await worker().request({ key, save })
      return key
    },
    requestAll: (key: string) => Promise.all(workers.map((worker) => worker.request<string[]>({ key, callers }))),
    /** The number of refreshes since the last sign-in, which starts with an exchange of a code. */
    refreshes(): number {
      const calls = emulator.requests.map(({ operation }) => operation)
      return calls.slice(calls.lastIndexOf('oidc.exchangeCode') + 1).filter((one) => one === 'oidc.refresh').length
    },
    /** Checks that the stored refresh token works. The service revokes it if it was presented twice. */
    async expectNothingRevoked(key: string) {
      const [now] = await worker().request<string[]>({ key, callers: 1 })
      const [later] = await worker().request<string[]>({ key, callers: 1, laterSeconds: 860 })
      expect(later).toMatch(/^ey/)
      expect(later).not.toBe(now)
    },
  }
}

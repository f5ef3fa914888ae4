import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulator, type Emulator, type EmulatorServer } from '../../src/emulator.ts'
import { OidcClient, type TokenSet } from '../../src/index.ts'
import { type Service } from '../support/service-process.ts'
import { describeWith } from '../support/programs.ts'
import { type Engine, engines } from './engines.ts'
import { type Process, startProcess, startProcesses } from './process.ts'

const processes = 8
const callers = 50
const lockTtlMs = 1_000

/** Every step of a refresh, in its order. */
const steps = [
  'get 1',
  'set 1',
  'get 2',
  'compareAndSet 1',
  'refresh 1',
  'compareAndSet 2',
  'compareAndDelete 1',
]
const crashes = steps.flatMap((step) => [`before ${step}`, `after ${step}`])
/** From the mark until the new tokens are stored nobody can know whether the refresh token is spent. */
const untold = ['after compareAndSet 1', 'before refresh 1', 'after refresh 1', 'before compareAndSet 2']

for (const engine of engines) {
  describeWith(engine.service, `one refresh over many processes on ${engine.name}`, () => {
    const stage = stageOf(engine)
    beforeAll(stage.open)
    afterAll(stage.close)

    it(`${processes} processes with ${callers} callers each refresh an expiring token once on ${engine.name}`, async () => {
      const person = await stage.signIn()
      const startedAt = performance.now()
      const answers = (await stage.askAll(person)).flat()
      const ms = Math.round(performance.now() - startedAt)

      expect(answers).toHaveLength(processes * callers)
      expect(new Set(answers).size).toBe(1)
      expect(answers[0]).toMatch(/^ey/)
      expect(stage.refreshes()).toBe(1)
      await stage.expectNothingRevoked(person)
      console.log(`${engine.name}: ${processes} x ${callers} callers, 1 refresh, 1 token, ${ms} ms`)
    })

    // What differs between the clients of one engine is the store's, and its own suite shows it.
    if (engine.name === 'Redis (ioredis)') return
    it.each(crashes)(
      `a process killed %s leaves one refresh and no guess on ${engine.name}`,
      async (crash) => {
        const person = await stage.signIn()
        const victim = await startProcess('token-user.mjs', { ...stage.env(), DIE_AT: crash })
        const cut = victim.ask({ key: person, callers: 1 }).catch(() => {})
        expect(await victim.ended).toBe('SIGKILL')
        await cut
        const sent = stage.refreshes()

        const answers = (await stage.askAll(person)).flat()
        const refreshes = stage.refreshes()

        if (untold.includes(crash)) {
          expect(new Set(answers)).toEqual(new Set(['TokenManagerError refresh_outcome_unknown']))
          expect(refreshes).toBe(sent)
        } else {
          expect(new Set(answers).size).toBe(1)
          expect(answers[0]).toMatch(/^ey/)
          expect(stage.refreshes()).toBe(1)
          await stage.expectNothingRevoked(person)
        }
        console.log(
          `${engine.name}: killed ${crash}: ${answers.length} callers, ${refreshes} refresh, ${summary(answers)}`,
        )
      },
    )
  })
}

const summary = (answers: readonly string[]) =>
  answers[0]?.startsWith('ey') ? 'all have the new token' : `all told ${answers[0]}`

function stageOf(engine: Engine) {
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
    STORE: engine.name,
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
    /** A person who signed in, and whose access token has half a minute left. */
    async signIn(): Promise<string> {
      const oidc = new OidcClient(emulator.options.oidc)
      const login = await oidc.createAuthorization()
      const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
      const key = `person_${++people}`
      const save: TokenSet = { ...tokens, expires_at: Math.floor(Date.now() / 1000) + 30 }
      await worker().ask({ key, save })
      return key
    },
    askAll: (key: string) => Promise.all(workers.map((worker) => worker.ask<string[]>({ key, callers }))),
    /** Refreshes of the person who signed in last: each sign-in begins with an exchange. */
    refreshes(): number {
      const calls = emulator.requests.map(({ operation }) => operation)
      return calls.slice(calls.lastIndexOf('oidc.exchangeCode') + 1).filter((one) => one === 'oidc.refresh')
        .length
    },
    /** The refresh token that is kept still works: the service saw none presented twice. */
    async expectNothingRevoked(key: string) {
      const [now] = await worker().ask<string[]>({ key, callers: 1 })
      const [later] = await worker().ask<string[]>({ key, callers: 1, laterSeconds: 860 })
      expect(later).toMatch(/^ey/)
      expect(later).not.toBe(now)
    },
  }
}

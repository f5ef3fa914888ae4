import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeWith, type Service, type ServiceName } from '../support/services.ts'
import { type App, emulated, startApp } from './emulated.ts'
import { type Visitor, visitor } from './visitor.ts'

/** How somebody gets through a web app of the examples. */
export interface HostedApp {
  readonly folder: string
  readonly command: readonly string[]
  /** What it shares its state by, and the setting that names it. */
  readonly store?: {
    readonly needs: ServiceName
    readonly start: () => Promise<Service>
    readonly setting: string
  }
  /** What it ends with on SIGTERM. @default 0 */
  readonly exitCode?: number
  /** Presses the button that begins a verification. @returns what came of it */
  begin(app: App, browser: Visitor, customer: string): ReturnType<Visitor['visit']>
  /** Where the app tells a customer their outcome. */
  outcomePath(customer: string): string
}

/** Those of an app with sign-in have an account each. */
const customers = ['ada', 'bo', 'mallory', 'cy', 'dee', 'eve']

/** What every web app of the examples does, however it is built. */
export function hostedVerificationRules({
  folder,
  command,
  store,
  exitCode = 0,
  begin,
  outcomePath,
}: HostedApp): void {
  describe(`examples/${folder}`, () => {
    const service = emulated({ users: customers.map((sub) => ({ sub })) })
    const { emulator } = service
    let app: App
    const outcome = async (browser: Visitor, customer: string) =>
      (await browser.visit(app.url + outcomePath(customer))).text

    beforeAll(async () => {
      app = await startApp(folder, command, service.settings)
    })

    afterAll(() => app?.end('SIGKILL', 'group'))

    it('believes the decision that a webhook leads to, and not the address that brings a person back', async () => {
      const browser = visitor()
      const { next: hostedPage, status } = await begin(app, browser, 'ada')
      expect(status).toBe(303)
      emulator.webhooks.faults.add({ kind: 'lost' })

      const { next: back } = await browser.visit(hostedPage, { choice: 'approve' })
      expect(back).toMatch(/\?session_id=.+&status=APPROVED$/)
      expect(await browser.visit(back)).toMatchObject({
        status: 200,
        text: expect.stringContaining('on its way'),
      })
      await emulator.webhooks.settled()
      expect(await outcome(browser, 'ada')).toContain('none yet')

      await emulator.webhooks.resend(String(emulator.webhooks.deliveries[0]?.id))
      expect(await outcome(browser, 'ada')).toContain('APPROVED')
    })

    it('handles an event once, however often it comes', async () => {
      const browser = visitor()
      const { next: hostedPage } = await begin(app, browser, 'bo')
      emulator.webhooks.faults.add({ kind: 'duplicate' })

      await browser.visit(hostedPage, { choice: 'decline' })
      await emulator.webhooks.settled()

      expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200, 200])
      expect(emulator.requests.filter(({ path }) => path.endsWith('/decision'))).toHaveLength(1)
      expect(await outcome(browser, 'bo')).toContain('DECLINED')
    })

    it('refuses a webhook with a forged signature', async () => {
      const browser = visitor()
      const { next: hostedPage } = await begin(app, browser, 'mallory')
      emulator.webhooks.faults.add({ kind: 'bad_signature' })

      await browser.visit(hostedPage, { choice: 'approve' })
      await emulator.webhooks.settled()

      expect(emulator.webhooks.deliveries[0]?.attempts[0]?.status).toBe(400)
      expect(emulator.requests.filter(({ path }) => path.endsWith('/decision'))).toEqual([])
      expect(await outcome(browser, 'mallory')).toContain('none yet')
      await app.printed(/signature_mismatch/)
    })

    it('asks for an event again that it could not handle', async () => {
      const browser = visitor()
      const { next: hostedPage } = await begin(app, browser, 'cy')
      emulator.faults.add({ match: 'sessions.decision', status: 500, times: 3 })

      await browser.visit(hostedPage, { choice: 'decline' })
      await emulator.webhooks.settled()
      await emulator.clock.advance(10_000)

      expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([500, 200])
      expect(await outcome(browser, 'cy')).toContain('DECLINED')
    })

    it('tells the id of a request that failed, to the person and in the log', async () => {
      const browser = visitor()
      await begin(app, browser, 'dee')
      emulator.faults.add({ match: 'sessions.create', status: 402 })

      const answer = await begin(app, browser, 'dee')

      const { requestId } = emulator.requests.find(({ status }) => status === 402) ?? {}
      expect(requestId).toMatch(/^req_/)
      expect(answer.text).toContain(requestId)
      await app.printed(new RegExp(String(requestId)))
    })

    it('handles what is under way before it ends, and has printed no secret', async () => {
      const browser = visitor()
      const { next: hostedPage } = await begin(app, browser, 'eve')
      emulator.faults.add({ match: 'sessions.decision', delayMs: 500 })
      const finished = browser.visit(hostedPage, { choice: 'approve' })
      await vi.waitFor(() =>
        expect(emulator.requests.map(({ path }) => path)).toContainEqual(
          expect.stringMatching(/\/decision$/),
        ),
      )

      const code = await app.end('SIGTERM')
      await finished
      await emulator.webhooks.settled()

      expect(emulator.webhooks.deliveries[0]?.attempts[0]?.status).toBe(200)
      expect(code).toBe(exitCode)
      for (const secret of Object.entries(service.settings).filter(([name]) => /SECRET|KEY/.test(name)))
        expect(app.output()).not.toContain(secret[1])
    })

    if (store)
      describeWith(store.needs, `that examples/${folder} forgets nothing when it is restarted`, () => {
        it('an event that was handled before a restart is not handled again after it', async () => {
          const shared = await store.start()
          onTestFinished(() => shared.remove())
          const known = { ...service.settings, [store.setting]: shared.url }
          const first = await startApp(folder, command, known)
          const browser = visitor()
          const { next: hostedPage } = await begin(first, browser, 'ada')
          await browser.visit(hostedPage, { choice: 'approve' })
          await emulator.webhooks.settled()
          expect(await first.end('SIGTERM')).toBe(exitCode)

          const second = await startApp(folder, command, known, first.port)
          await emulator.webhooks.resend(String(emulator.webhooks.deliveries[0]?.id))

          expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200, 200])
          expect(emulator.requests.filter(({ path }) => path.endsWith('/decision'))).toHaveLength(1)
          expect((await browser.visit(second.url + outcomePath('ada'))).text).toContain('APPROVED')
          expect(await second.end('SIGTERM')).toBe(exitCode)
        })
      })
  })
}

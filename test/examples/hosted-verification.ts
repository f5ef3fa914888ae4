import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { patient } from '../support/patience.ts'
import { describeWith, type ServiceName } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { type App, emulated, startApp } from './emulated.ts'
import { type Visitor, visitor } from './visitor.ts'

/** How a person uses a web app of the examples. */
export interface HostedApp {
  readonly folder: string
  readonly command: readonly string[]
  /** The store for state that processes share, and the variable with its address. */
  readonly store?: {
    readonly needs: ServiceName
    readonly start: () => Promise<Service>
    readonly setting: string
  }
  /** The exit code after a SIGTERM, or `null` if the signal ends the process. @default 0 */
  readonly exitCode?: number | null
  /** Presses the button that starts a verification. @returns the response */
  begin(app: App, browser: Visitor, customer: string): ReturnType<Visitor['visit']>
  /** The path of the page with the state of a customer's verification. */
  outcomePath(customer: string): string
}

/** Customers; each has an account in apps with sign-in. */
const customers = ['ada', 'bo', 'mallory', 'cy', 'dee', 'eve', 'flo']

const stateIn = (page: string) => /[">](none|open|approved|declined)["<]/.exec(page)?.[1]

/** Tests the rules that every web app of the examples follows. */
export function hostedVerificationRules({ folder, command, store, exitCode = 0, begin, outcomePath }: HostedApp): void {
  describe(`examples/${folder}`, () => {
    const service = emulated({ users: customers.map((sub) => ({ sub })) })
    const { emulator } = service
    let app: App
    /** The state that the page of a customer shows. */
    const outcome = async (browser: Visitor, customer: string, { url } = app) =>
      stateIn((await browser.visit(url + outcomePath(customer))).text)

    beforeAll(async () => {
      app = await startApp(folder, command, service.settings)
    })

    afterAll(() => app?.end('SIGKILL', 'group'))

    it('takes the outcome from the decision after a webhook, not from the return URL', async () => {
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
      expect(await outcome(browser, 'ada')).toBe('open')

      await emulator.webhooks.resend(String(emulator.webhooks.deliveries[0]?.id))
      expect(await outcome(browser, 'ada')).toBe('approved')
    })

    it('handles an event once, even if it is delivered twice', async () => {
      const browser = visitor()
      const { next: hostedPage } = await begin(app, browser, 'bo')
      emulator.webhooks.faults.add({ kind: 'duplicate' })

      await browser.visit(hostedPage, { choice: 'decline' })
      await emulator.webhooks.settled()

      expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200, 200])
      expect(emulator.requests.filter(({ path }) => path.endsWith('/decision'))).toHaveLength(1)
      expect(await outcome(browser, 'bo')).toBe('declined')
    })

    it('resumes the session of a person, and creates another one only after it was declined', async () => {
      const browser = visitor()
      const { next: first } = await begin(app, browser, 'flo')
      const { next: resumed } = await begin(app, browser, 'flo')

      await browser.visit(resumed, { choice: 'decline' })
      await emulator.webhooks.settled()
      const { next: second } = await begin(app, browser, 'flo')
      await browser.visit(second, { choice: 'approve' })
      await emulator.webhooks.settled()

      expect([resumed === first, second === first]).toEqual([true, false])
      expect(await outcome(browser, 'flo')).toBe('approved')
    })

    it('rejects a webhook with a forged signature', async () => {
      const browser = visitor()
      const { next: hostedPage } = await begin(app, browser, 'mallory')
      emulator.webhooks.faults.add({ kind: 'bad_signature' })

      await browser.visit(hostedPage, { choice: 'approve' })
      await emulator.webhooks.settled()

      expect(emulator.webhooks.deliveries[0]?.attempts[0]?.status).toBe(400)
      expect(emulator.requests.filter(({ path }) => path.endsWith('/decision'))).toEqual([])
      expect(await outcome(browser, 'mallory')).toBe('open')
      await app.printed(/signature_mismatch/)
    })

    it('responds with 500 to an event that it could not handle, so that it is resent', async () => {
      const browser = visitor()
      const { next: hostedPage } = await begin(app, browser, 'cy')
      emulator.faults.add({ match: 'sessions.decision', status: 500, times: 3 })

      await browser.visit(hostedPage, { choice: 'decline' })
      await emulator.webhooks.settled()
      await emulator.clock.advance(10_000)

      expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([500, 200])
      expect(await outcome(browser, 'cy')).toBe('declined')
    })

    it('shows and logs the id of a request that failed', async () => {
      emulator.faults.add({ match: 'sessions.create', status: 402 })

      const response = await begin(app, visitor(), 'dee')

      const { requestId } = emulator.requests.find(({ status }) => status === 402) ?? {}
      expect(requestId).toMatch(/^req_/)
      expect(response.text).toContain(requestId)
      await app.printed(new RegExp(String(requestId)))
    })

    it('finishes requests in progress before it exits, and prints no secrets', async () => {
      const browser = visitor()
      const { next: hostedPage } = await begin(app, browser, 'eve')
      emulator.faults.add({ match: 'sessions.decision', delayMs: 500 })
      const finished = browser.visit(hostedPage, { choice: 'approve' })
      await vi.waitFor(
        () => expect(emulator.requests.map(({ path }) => path)).toContainEqual(expect.stringMatching(/\/decision$/)),
        patient,
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
      describeWith(store.needs, `that examples/${folder} keeps its state over a restart`, () => {
        it('does not handle an event again after a restart', async () => {
          const shared = await store.start()
          onTestFinished(() => shared.remove())
          const settings = { ...service.settings, [store.setting]: shared.url }
          const first = await startApp(folder, command, settings)
          const browser = visitor()
          const { next: hostedPage } = await begin(first, browser, 'ada')
          await browser.visit(hostedPage, { choice: 'approve' })
          await emulator.webhooks.settled()
          expect(await first.end('SIGTERM')).toBe(exitCode)

          const second = await startApp(folder, command, settings, first.port)
          await emulator.webhooks.resend(String(emulator.webhooks.deliveries[0]?.id))

          expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200, 200])
          expect(emulator.requests.filter(({ path }) => path.endsWith('/decision'))).toHaveLength(1)
          expect(await outcome(browser, 'ada', second)).toBe('approved')
          expect(await second.end('SIGTERM')).toBe(exitCode)
        })
      })
  })
}

import { setupServer } from 'msw/node'
import { afterAll, beforeAll, beforeEach, onTestFinished, vi } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator.ts'
import { type MswHandlersOptions, mswHandlers } from '../../src/msw.ts'

/** Two hosts, one of them with a path: nothing answers there but the emulator. */
export const baseUrl = 'https://id.example.test/identity'
export const orgBaseUrl = 'https://console.example.test'

/**
 * The tests of an app as they are with MSW: the emulator answers the global fetch. What is not for it is noted in
 * `strays`, and goes on to this machine at most.
 */
export function intercepted(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options)
  const server = setupServer(...mswHandlers(emulator, { baseUrl, orgBaseUrl }))
  const strays: string[] = []

  beforeAll(() =>
    server.listen({
      onUnhandledRequest({ url }) {
        strays.push(url)
        if (new URL(url).hostname !== '127.0.0.1') throw new Error(`nobody answers ${url}`)
      },
    }),
  )
  beforeEach(() => {
    vi.stubEnv('SVC_TRANSPORT', 'fetch')
    emulator.reset()
    strays.length = 0
  })
  afterAll(() => server.close())

  const { verification, oidc, org } = emulator.options
  return {
    emulator,
    strays,
    /** Puts an emulator at further addresses until the test ends. */
    serve(addresses: MswHandlersOptions, served: Pick<Emulator, 'at'> = emulator): void {
      server.use(...mswHandlers(served, addresses))
      onTestFinished(() => server.resetHandlers())
    },
    /** What an app has in its environment: where the service is, and who the app is. */
    settings: {
      verification: { baseUrl, apiKey: verification.apiKey },
      oidc: { ...oidc, baseUrl, fetch: undefined },
      org: { baseUrl: orgBaseUrl, clientId: org.clientId, clientSecret: org.clientSecret },
    },
  }
}

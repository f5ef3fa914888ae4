import { setupServer } from 'msw/node'
import { afterAll, beforeAll, beforeEach, onTestFinished, vi } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator.ts'
import { type MswHandlersOptions, mswHandlers } from '../../src/msw.ts'

/** Two hosts, one of them with a path, at which only the emulator is reachable. */
export const baseUrl = 'https://id.example.test/identity'
export const orgBaseUrl = 'https://console.example.test'

/**
 * Sets up MSW as an app's tests would, so that the emulator serves the global fetch. Other requests are recorded in
 * `unhandled`, and may only go to 127.0.0.1.
 */
export function intercepted(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options)
  const server = setupServer(...mswHandlers(emulator, { baseUrl, orgBaseUrl }))
  const unhandled: string[] = []

  beforeAll(() =>
    server.listen({
      onUnhandledRequest({ url }) {
        unhandled.push(url)
        if (new URL(url).hostname !== '127.0.0.1') throw new Error(`no handler for ${url}`)
      },
    }),
  )
  beforeEach(() => {
    vi.stubEnv('SVC_TRANSPORT', 'fetch')
    emulator.reset()
    unhandled.length = 0
  })
  afterAll(() => server.close())

  const { verification, oidc, org } = emulator.options
  return {
    emulator,
    unhandled,
    /** Serves an emulator at additional addresses until the test ends. */
    serve(addresses: MswHandlersOptions, served: Pick<Emulator, 'at'> = emulator): void {
      server.use(...mswHandlers(served, addresses))
      onTestFinished(() => server.resetHandlers())
    },
    /** Client options as an app would read them from its environment. */
    settings: {
      verification: { baseUrl, apiKey: verification.apiKey },
      oidc: { ...oidc, baseUrl, fetch: undefined },
      org: { baseUrl: orgBaseUrl, clientId: org.clientId, clientSecret: org.clientSecret },
    },
  }
}

import { createConsole, isConsole } from './console/console.ts'
import type { Emulator } from './controls/controls.ts'
import { memberControls } from './controls/member-controls.ts'
import { signInControls } from './controls/sign-in-controls.ts'
import { type EmulatorOptions, readOptions } from './options/options.ts'
import { readBaseUrl } from './server/base-url.ts'
import type { EmulatorServer } from './server/listen.node.ts'
import { createService, type Service } from './server/service.ts'
import { RequestFeed } from './state/request-log.ts'
import { ServiceState } from './state/service-state.ts'
import { SigningKeys } from './state/signing-keys.ts'

/** Never resolves to anything (RFC 2606): a client that forgot `fetch` fails instead of reaching somebody. */
const nowhere = 'https://emulator.invalid'

/**
 * The service in memory, for tests and for development without a network.
 *
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, all of it; `X-Emulator: 1` marks what it answers
 *
 * @example
 * const emulator = createEmulator({ seed: 1 })
 * const client = new VerificationClient(emulator.options.verification)
 * const session = await client.sessions.create({ workflow_id: 'wf_identity' })
 * await emulator.sessions.complete(session.session_id, 'APPROVED')
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const settings = readOptions(options)
  const lasting = { signingKeys: new SigningKeys(), requestFeed: new RequestFeed() }
  if (settings.onRequest) lasting.requestFeed.subscribe(settings.onRequest)
  let state: ServiceState
  let service: Service
  const reset = () => {
    state = new ServiceState(settings, lasting)
    service = createService(state)
  }
  reset()
  const ownConsole = createConsole({
    state: () => state,
    served: () => service.served,
    reset,
    feed: lasting.requestFeed,
  })
  const serve = (request: Request, baseUrl?: string) =>
    isConsole(request) ? ownConsole.fetch(request, baseUrl) : service.fetch(request, baseUrl)
  const servers: EmulatorServer[] = []

  const origin = () => servers.at(-1)?.url ?? nowhere
  const fetch = (request: Request, baseUrl?: string) =>
    unlessAborted(request.signal, () => serve(request, baseUrl))

  return {
    fetch: (request) => fetch(request),
    at: (baseUrl) => {
      const base = readBaseUrl('baseUrl', baseUrl)
      return (request) => fetch(request, base)
    },
    get options() {
      const inProcess = {
        baseUrl: origin(),
        fetch: async (...call: Parameters<typeof globalThis.fetch>) => fetch(new Request(...call)),
      }
      const { oidc, organization: org } = settings
      return {
        verification: { ...inProcess, apiKey: settings.apiKey },
        oidc: {
          ...inProcess,
          clientId: oidc.clientId,
          clientSecret: oidc.clientSecret,
          redirectUri: oidc.redirectUri,
        },
        org: { ...inProcess, clientId: org.clientId, clientSecret: org.clientSecret },
      }
    },
    webhooks: {
      secret: settings.webhooks.secret,
      get deliveries() {
        return state.deliveries.records
      },
      resend: (id) => state.deliveries.resend(id),
      settled: () => state.deliveries.settled(),
      faults: {
        add: (fault) => state.deliveries.faults.add(fault),
        clear: () => state.deliveries.faults.clear(),
      },
    },
    sessions: {
      start: (id, { checks = {} } = {}) => state.sessions.start(id, checks),
      complete: async (id, status, { checks = {} } = {}) => state.sessions.complete(id, status, checks),
    },
    members: memberControls(() => state.roster, origin),
    signIn: signInControls(() => state),
    checks: {
      script: (type, outcome, { times = Number.POSITIVE_INFINITY } = {}) =>
        state.outcomes.script(type, outcome, times),
      clear: () => state.outcomes.clear(),
    },
    faults: {
      add: (fault) => state.faults.add(fault, service.served),
      clear: () => state.faults.clear(),
    },
    clock: {
      now: () => state.clock.now(),
      advance(ms) {
        state.clock.advance(ms)
        return state.runDueTasks()
      },
    },
    get requests() {
      return state.requestLog.requests
    },
    get ledger() {
      return state.wallet.ledger
    },
    reset,
    async listen(where = {}) {
      // Elsewhere than on Node the emulator still works as a fetch: the server is loaded where it is wanted.
      const { listen } = await import('#listen')
      const server = await listen(serve, where)
      const ticking = setInterval(() => void state.runDueTasks(), 1000)
      // Only the server itself keeps a process alive.
      ticking.unref()
      const listening: EmulatorServer = {
        url: server.url,
        consoleUrl: server.consoleUrl,
        close() {
          clearInterval(ticking)
          const index = servers.indexOf(listening)
          if (index >= 0) servers.splice(index, 1)
          return server.close()
        },
      }
      servers.push(listening)
      return listening
    },
  }
}

/** The caller of a `fetch` that was aborted is told at once, whatever the service is still doing. */
async function unlessAborted(signal: AbortSignal, serve: () => Promise<Response>): Promise<Response> {
  signal.throwIfAborted()
  let leave = () => {}
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
  })
  try {
    return await Promise.race([serve(), aborted])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

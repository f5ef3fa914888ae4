import type { CheckType } from '../contract/checks.ts'
import { readBaseUrl } from './base-url.ts'
import type { CheckOutcomes, ToldOutcome } from './checks/outcome.ts'
import { createConsole, isConsole } from './console/console.ts'
import type { EmulatorServer, ListenOptions } from './listen.ts'
import { type MemberControls, memberControls } from './member-controls.ts'
import { type EmulatorOptions, readOptions } from './options.ts'
import { createService, type Service } from './service.ts'
import { type SignInControls, signInControls } from './sign-in-controls.ts'
import type { Delivery } from './state/deliveries.ts'
import type { DeliveryFault } from './state/delivery-faults.ts'
import type { Fault } from './state/faults.ts'
import type { RecordedRequest } from './state/journal.ts'
import { RequestFeed } from './state/request-feed.ts'
import { ServiceState } from './state/service-state.ts'
import type { SessionEnd } from './state/sessions.ts'
import { SigningKeys } from './state/signing-keys.ts'
import type { LedgerEntry } from './state/wallet.ts'

/** Client options that talk to the emulator without a network. */
export interface InProcessOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch: typeof globalThis.fetch
}

/** The same for the organization API, which has the same origin here. */
export interface InProcessOrganizationOptions {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly fetch: typeof globalThis.fetch
}

/** The same for sign-in. */
export interface InProcessOidcOptions extends InProcessOrganizationOptions {
  readonly redirectUri: string
}

/** The service in memory. It verifies nobody: every response says `X-Emulator: 1`. */
export interface Emulator {
  /**
   * The whole service: API and hosted pages, at any origin. Rejects like a network would: with the reason of
   * the request's signal once that is aborted, and with a TypeError where a fault drops the connection.
   */
  fetch(request: Request): Promise<Response>

  /**
   * The same service at an address of its own, with or without a path: sessions, links and the issuer are given out
   * under it, and requests below it are served.
   *
   * @throws {ConfigurationError} `baseUrl` is no http or https URL, or has more than a host and a path
   *
   * @example
   * const response = await emulator.at('https://gateway.example.com/identity')(request)
   */
  at(baseUrl: string | URL): (request: Request) => Promise<Response>

  /** Read them after `listen`, and hosted pages are given the server's address. */
  readonly options: {
    readonly verification: InProcessOptions
    readonly oidc: InProcessOidcOptions
    readonly org: InProcessOrganizationOptions
  }

  readonly webhooks: {
    readonly secret: string
    /** One record an event, oldest first. */
    readonly deliveries: readonly Delivery[]
    /**
     * Sends the same event, with the same id, under a fresh timestamp.
     *
     * @param id the delivery's, which is the event's
     * @throws {EmulatorError} there is no such delivery
     */
    resend(id: string): Promise<Delivery>
    /** Resolves when no delivery is under way. */
    settled(): Promise<void>
    readonly faults: {
      /**
       * Makes the first sending of the next events go wrong.
       *
       * @throws {EmulatorError} no such fault
       *
       * @example
       * emulator.webhooks.faults.add({ kind: 'duplicate', type: 'verification.approved' })
       */
      add(fault: DeliveryFault): void
      clear(): void
    }
  }

  readonly sessions: {
    /**
     * The person opens the hosted page: the session is IN_PROGRESS.
     *
     * @param options `checks`: results of the checks that they went through; the others stay pending
     * @throws {EmulatorError} no such session, or it was worked through
     */
    start(id: string, options?: { readonly checks?: CheckOutcomes }): void
    /**
     * The visit, or the review after it, ends. Checks of the face pass unless told otherwise; the others
     * follow the status: passed, failed, or in review. What has a result keeps it.
     *
     * @returns once the webhook was attempted
     * @throws {EmulatorError} no such session, or it ended before
     */
    complete(id: string, status: SessionEnd, options?: { readonly checks?: CheckOutcomes }): Promise<void>
  }

  readonly members: MemberControls

  readonly signIn: SignInControls

  readonly checks: {
    /**
     * Makes standalone checks of a type, those of `checks.kycCredential` included, end in a certain way.
     *
     * @param options `times`: for the next so many, which go before what lasts; default `Infinity`
     *
     * @example
     * emulator.checks.script('liveness', 'failed', { times: 1 })
     * emulator.checks.script('face_match', { data: { similarity: 0.4 } })
     */
    script<Type extends CheckType>(
      type: Type,
      outcome: ToldOutcome<Type>,
      options?: { readonly times?: number },
    ): void
    /** Forgets what was scripted, the option `outcomes` included. */
    clear(): void
  }

  readonly faults: {
    /**
     * @throws {EmulatorError} the fault could never strike, or has no effect
     *
     * @example
     * emulator.faults.add({ match: 'checks.liveness', reset: true, when: 'after' })
     */
    add(fault: Fault): void
    clear(): void
  }

  readonly clock: {
    now(): Date
    /**
     * Moves the clock forward: sessions run out, and failed deliveries are sent again. Otherwise that happens with
     * the next request, and once a second while the emulator listens.
     *
     * @returns once the webhooks were attempted; the sessions have ended before
     */
    advance(ms: number): Promise<void>
  }

  /** What arrived, oldest first; at most the last 10,000. */
  readonly requests: readonly RecordedRequest[]
  /** What was charged, oldest first. */
  readonly ledger: readonly LedgerEntry[]

  /** Back to the first moment: no session, no sign-in, no request, no fault, a full wallet. Servers go on
   * listening, and signing keys stay. */
  reset(): void

  /** Serves it over HTTP, on Node. */
  listen(options?: ListenOptions): Promise<EmulatorServer>
}

/** Never resolves to anything (RFC 2606): a client that forgot `fetch` fails instead of reaching somebody. */
const nowhere = 'https://emulator.invalid'

/**
 * The service in memory, for tests and for development without a network.
 *
 * @throws {ConfigurationError} an option cannot work
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
        state.outcomes.tell(type, outcome, times),
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
        return state.catchUp()
      },
    },
    get requests() {
      return state.journal.requests
    },
    get ledger() {
      return state.wallet.ledger
    },
    reset,
    async listen(where = {}) {
      // Elsewhere than on Node the emulator still works as a fetch: the server is loaded where it is wanted.
      const { listen } = await import('./listen.ts')
      const server = await listen(serve, where)
      const ticking = setInterval(() => void state.catchUp(), 1000)
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

import type { CheckType } from '../../contract/verification/check-data.ts'
import type { CheckOutcomes, ToldOutcome } from '../checks/outcome.ts'
import type { EmulatorServer, ListenOptions } from '../server/listen.node.ts'
import type { Fault } from '../state/faults/faults.ts'
import type { RecordedRequest } from '../state/request-log.ts'
import type { SessionEnd } from '../state/sessions/sessions.ts'
import type { LedgerEntry } from '../state/wallet.ts'
import type { Delivery } from '../state/webhooks/deliveries.ts'
import type { DeliveryFault } from '../state/webhooks/delivery-faults.ts'
import type { MemberControls } from './member-controls.ts'
import type { SignInControls } from './sign-in-controls.ts'

/** Client options that talk to the emulator without a network. */
export interface InProcessOptions {
  /** That of the server, once it listens; before that a name that leads nowhere. */
  readonly baseUrl: string
  /** The key that requests must carry. */
  readonly apiKey: string
  /** Hands requests over without a network. */
  readonly fetch: typeof globalThis.fetch
}

/** The same for the organization API, which has the same origin here. */
export interface InProcessOrganizationOptions {
  /** That of the server, once it listens; before that a name that leads nowhere. */
  readonly baseUrl: string
  /** Of the application. */
  readonly clientId: string
  /** Of the application. */
  readonly clientSecret: string
  /** Hands requests over without a network. */
  readonly fetch: typeof globalThis.fetch
}

/** The same for sign-in. */
export interface InProcessOidcOptions extends InProcessOrganizationOptions {
  /** One that the emulator accepts. */
  readonly redirectUri: string
}

/** The service in memory. It verifies nobody: every response says `X-Emulator: 1`. */
export interface Emulator {
  /**
   * The whole service: API and hosted pages, at any origin. Rejects like a network would: with the reason of
   * the request's signal once that is aborted, and with a TypeError where a fault drops the connection.
   *
   * @see service contract, section 4
   *
   * @example
   * const response = await emulator.fetch(new Request('https://id.example.com/api/v2/session'))
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
    /** For a `VerificationClient`. */
    readonly verification: InProcessOptions
    /** For an `OidcClient`. */
    readonly oidc: InProcessOidcOptions
    /** For an `OrgClient`. */
    readonly org: InProcessOrganizationOptions
  }

  /** Events that the service sends. */
  readonly webhooks: {
    /** What deliveries are signed with. */
    readonly secret: string
    /** One record an event, oldest first. */
    readonly deliveries: readonly Delivery[]
    /**
     * Sends the same event, with the same id, under a fresh timestamp.
     *
     * @param id the delivery's, which is the event's
     * @throws {EmulatorError} there is no such delivery
     * @see service contract, section 6
     *
     * @example
     * for (const { id } of emulator.webhooks.deliveries) await emulator.webhooks.resend(id)
     */
    resend(id: string): Promise<Delivery>
    /**
     * Resolves when no delivery is under way.
     *
     * @see service contract, section 6
     *
     * @example
     * await emulator.webhooks.settled()
     */
    settled(): Promise<void>
    /** What goes wrong with deliveries, on purpose. */
    readonly faults: {
      /**
       * Makes the first sending of the next events go wrong.
       *
       * @throws {EmulatorError} no such fault
       * @see service contract, section 6
       *
       * @example
       * emulator.webhooks.faults.add({ kind: 'duplicate', type: 'verification.approved' })
       */
      add(fault: DeliveryFault): void
      /**
       * Forgets the faults that have not struck yet.
       *
       * @example
       * emulator.webhooks.faults.clear()
       */
      clear(): void
    }
  }

  /** What people do at hosted pages. */
  readonly sessions: {
    /**
     * The person opens the hosted page: the session is IN_PROGRESS.
     *
     * @param options `checks`: results of the checks that they went through; the others stay pending
     * @throws {EmulatorError} no such session, or it was worked through
     * @see service contract, section 3.1
     *
     * @example
     * emulator.sessions.start(session.session_id, { checks: { id_verification: 'passed' } })
     */
    start(id: string, options?: { readonly checks?: CheckOutcomes }): void
    /**
     * The visit, or the review after it, ends. Checks of the face pass unless told otherwise; the others
     * follow the status: passed, failed, or in review. What has a result keeps it.
     *
     * @returns once the webhook was attempted
     * @throws {EmulatorError} no such session, or it ended before
     * @see service contract, section 3.1
     *
     * @example
     * await emulator.sessions.complete(session.session_id, 'DECLINED', { checks: { face_match: 'failed' } })
     */
    complete(id: string, status: SessionEnd, options?: { readonly checks?: CheckOutcomes }): Promise<void>
  }

  /** What the people on the roster do. */
  readonly members: MemberControls

  /** What people do at the consent page. */
  readonly signIn: SignInControls

  /** How checks end. */
  readonly checks: {
    /**
     * Makes standalone checks of a type, those of `checks.kycCredential` included, end in a certain way.
     *
     * @param options `times`: for the next so many, which go before what lasts; default `Infinity`
     * @see service contract, sections 2.3 and 3.2
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
    /**
     * Forgets what was scripted, the option `outcomes` included.
     *
     * @example
     * emulator.checks.clear()
     */
    clear(): void
  }

  /** What goes wrong with requests, on purpose. */
  readonly faults: {
    /**
     * Makes requests go wrong.
     *
     * @throws {EmulatorError} the fault could never strike, or has no effect
     * @see service contract, section 7
     *
     * @example
     * emulator.faults.add({ match: 'checks.liveness', reset: true, when: 'after' })
     */
    add(fault: Fault): void
    /**
     * Forgets the faults that have not struck yet.
     *
     * @example
     * emulator.faults.clear()
     */
    clear(): void
  }

  /** The service's time. */
  readonly clock: {
    /**
     * The time that sessions, codes and tokens go by.
     *
     * @example
     * const now = emulator.clock.now()
     */
    now(): Date
    /**
     * Moves the clock forward: sessions run out, and failed deliveries are sent again. Otherwise that happens with
     * the next request, and once a second while the emulator listens.
     *
     * @returns once the webhooks were attempted; the sessions have ended before
     * @see service contract, sections 3.1 and 8
     *
     * @example
     * await emulator.clock.advance(15 * 60_000)
     */
    advance(ms: number): Promise<void>
  }

  /** What arrived, oldest first; at most the last 10,000. */
  readonly requests: readonly RecordedRequest[]
  /** What was charged, oldest first. */
  readonly ledger: readonly LedgerEntry[]

  /**
   * Back to the first moment: no session, no sign-in, no request, no fault, a full wallet. Servers go on
   * listening, and signing keys stay.
   *
   * @example
   * emulator.reset()
   */
  reset(): void

  /**
   * Serves it over HTTP, on Node.
   *
   * @example
   * const server = await emulator.listen({ port: 0 })
   * console.log(server.url, server.consoleUrl)
   * await server.close()
   */
  listen(options?: ListenOptions): Promise<EmulatorServer>
}

import type { Member } from '../../contract/organization/member-results.ts'
import type { Id } from '../../contract/schema/open-types.ts'
import type { CheckType } from '../../contract/verification/check-data.ts'
import type { WebhookEventType } from '../../contract/webhooks/events.ts'
import type { AsyncClosable } from '../../runtime/public-class.ts'
import type { CheckOutcomes, ScriptedOutcome } from '../model/checks/outcome.ts'
import type { FaultTarget } from '../model/faults/fault-match.ts'
import type { Fault } from '../model/faults/faults.ts'
import type { RecordedRequest } from '../model/request-log.ts'
import type { SessionEnd } from '../model/sessions/sessions.ts'
import type { EmulatorSnapshot } from '../model/snapshot.ts'
import type { LedgerEntry } from '../model/wallet.ts'
import type { Delivery } from '../model/webhooks/deliveries.ts'
import type { DeliveryFault } from '../model/webhooks/delivery-faults.ts'

/** Client options that connect to the emulator without a network. */
export interface InProcessOptions {
  /** Address of the server while it listens, otherwise a name that never resolves. */
  readonly baseUrl: string
  /** API key that requests must send. */
  readonly apiKey: string
  /** Sends requests to the emulator without a network. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
}

/** Client options for the organization API, which has the same origin as the rest of the emulator. */
export interface InProcessOrganizationOptions extends Omit<InProcessOptions, 'apiKey'> {
  /** Client id of the application. */
  readonly clientId: string
  /** Client secret of the application. */
  readonly clientSecret: string
}

/** Client options for sign-in. */
export interface InProcessOidcOptions extends InProcessOrganizationOptions {
  /** A redirect URI that the emulator accepts. */
  readonly redirectUri: string
}

/** Simulates the people on the roster. Members are identified by `vmem_` id, email or `svc_id`. */
export interface MemberControls {
  /**
   * Simulates a person who follows their activation link and connects their identity by face: the member becomes
   * active.
   *
   * @param id also the activation link itself
   * @throws {EmulatorError} the member does not exist, the member is active or deactivated, or the link is not valid
   *
   * @example
   * const { status } = emulator.members.activate('bo@example.com')
   */
  readonly activate: (id: string) => Member
  /**
   * Returns the activation link that the member was emailed last, or `null` if no link is valid.
   *
   * @throws {EmulatorError} the member does not exist
   *
   * @example
   * const link = emulator.members.activationLink('bo@example.com')
   */
  readonly activationLink: (id: string) => string | null
  /**
   * Simulates a person who deletes their identity. The member's status stays the same, but a later `reactivate` results
   * in `invited`.
   *
   * @throws {EmulatorError} the member does not exist
   *
   * @example
   * emulator.members.removeIdentity('ada@example.com')
   */
  readonly removeIdentity: (id: string) => Member
}

/** Simulates a person on the consent page, and the operator who rotates signing keys. */
export interface SignInControls {
  /**
   * Simulates a person who agrees on the consent page.
   *
   * @param authorizationUrl URL of the authorization request, to which the application redirects the browser
   * @param options `user`: who signs in, by `sub` or email. Defaults to the first user of the option `users`
   * @returns the callback URL to which the service would redirect the browser. If the service rejects the request, the
   *   URL contains the error
   * @throws {EmulatorError} the user does not exist, or the client or the redirect URI is wrong, so that the service
   *   would not redirect the browser
   *
   * @example
   * const login = await oidc.createAuthorization()
   * const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
   */
  readonly approve: (authorizationUrl: string | URL, options?: { readonly user?: string | undefined }) => string
  /**
   * Simulates a person who declines on the consent page.
   *
   * @returns the callback URL, with the error `access_denied`
   * @throws {EmulatorError} the client or the redirect URI is wrong
   *
   * @example
   * const { url } = await oidc.createAuthorization()
   * const callback = emulator.signIn.deny(url)
   */
  readonly deny: (authorizationUrl: string | URL) => string
  /**
   * Generates a new signing key, which signs all further tokens.
   *
   * @param options `keepOld`: whether the previous keys stay in the key set, so that older tokens stay valid. Defaults
   *   to true
   *
   * @example
   * await emulator.signIn.rotateKeys({ keepOld: false })
   */
  readonly rotateKeys: (options?: { readonly keepOld?: boolean | undefined }) => Promise<void>
}

/** Options of `emulator.listen`. */
export interface ListenOptions {
  /**
   * Port of the server. 0 selects a free port.
   *
   * @default 0
   */
  readonly port?: number | undefined
  /**
   * Host name or IP address that the server binds to.
   *
   * @default '127.0.0.1'
   * @throws {ConfigurationError} if the host is not a loopback host, unless `allowRemote` is set
   */
  readonly host?: string | undefined
  /**
   * Allows a host that other machines can reach. The emulator protects nothing, so use this only in a network that you
   * trust.
   *
   * @default false
   */
  readonly allowRemote?: boolean | undefined
  /**
   * Lets other machines use the console and the control API too, as a container needs whose port another machine
   * forwards. Everyone who reaches the port can then read and change the emulator. Without it, they accept requests of
   * this machine to a loopback host, except those with a header that proxies and tunnels add: `forwarded`,
   * `x-forwarded-*`, `via` or `x-real-ip`.
   *
   * @default false
   */
  readonly allowRemoteControls?: boolean | undefined
  /**
   * Host names that requests may use in addition to loopback names, `host` and, with `allowRemote`, any IP address.
   * Requests to other host names are rejected, so that a web page cannot reach the server through a domain of its own
   * (DNS rebinding).
   *
   * @default none
   */
  readonly allowedHosts?: readonly string[] | undefined
  /**
   * Address at which browsers and clients reach the server, such as `https://identity.test` of a proxy that terminates
   * TLS. Addresses of hosted pages, links and the issuer start with it, and requests to its host are accepted. If it
   * has a path, requests must have that path too.
   *
   * @default the origin of each request
   * @throws {ConfigurationError} unless it is an http or https URL without credentials, query and fragment
   */
  readonly publicUrl?: string | undefined
  /**
   * Key and certificate in PEM. With them, the server accepts https only, and its address starts with `https:`.
   *
   * @default none: the server accepts http only
   */
  readonly tls?:
    | {
        /** Private key, in PEM. */
        readonly key: string
        /** Certificate, in PEM. */
        readonly cert: string
      }
    | undefined
}

/** A listening emulator. */
export interface EmulatorServer extends AsyncClosable {
  /** The server's address, such as `http://127.0.0.1:41234`, without a trailing slash. */
  readonly url: string
  /** Address of the console, on which a browser shows and changes the emulator's state. */
  readonly consoleUrl: string
  /**
   * Closes all connections. Resolves when the port is free.
   *
   * @example
   * const server = await emulator.listen()
   * await server.close()
   */
  readonly close: () => Promise<void>
}

/**
 * The service in memory. Nothing is verified, and every response has the header `X-Emulator: 1`. All functions work on
 * their own, so you can pass them as callbacks: `beforeEach(emulator.reset)`.
 */
export interface Emulator {
  /**
   * Handles a request to the API or to a hosted page, at any origin. Takes the same params as the global `fetch` and
   * rejects as it does: with the abort reason if the signal is aborted, and with a TypeError if the URL is relative or
   * a fault drops the connection.
   *
   * @example
   * const response = await emulator.fetch('https://id.example.com/api/v2/session', { headers: { 'x-api-key': 'key' } })
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>

  /**
   * Returns a `fetch` of the same service for a certain base URL, with or without a path. It serves requests below that
   * URL. Addresses of hosted pages, links and the issuer start with it.
   *
   * @throws {ConfigurationError} `baseUrl` is not an http or https URL, or has credentials, a query or a fragment
   *
   * @example
   * const response = await emulator.at('https://gateway.example.com/identity')(request)
   */
  readonly at: (baseUrl: string | URL) => (input: string | URL | Request, init?: RequestInit) => Promise<Response>

  /**
   * Returns a `fetch` of the same service below a path, for a server of your own. It serves requests to any origin, and
   * responds with 404 to those that are not below the path. Addresses of hosted pages, links and the issuer start with
   * the origin of the request and the path. The console and the control API are below it too, with the same rules.
   *
   * @param path such as `/identity`
   * @throws {ConfigurationError} the path does not start with a slash, or has a query or a fragment
   *
   * @example
   * const identity = emulator.mount('/identity')
   * const response = await identity('http://localhost:3000/identity/_emulator/health')
   */
  readonly mount: (path: string) => (input: string | URL | Request, init?: RequestInit) => Promise<Response>

  /** Client options. Read them after `listen`, so that they contain the address of the server. */
  readonly options: {
    /** For a `VerificationClient`. */
    readonly verification: InProcessOptions
    /** For an `OidcClient`. */
    readonly oidc: InProcessOidcOptions
    /** For an `OrgClient`. */
    readonly org: InProcessOrganizationOptions
  }

  /** Webhooks that the emulator sends. */
  readonly webhooks: {
    /** Signing secret of the deliveries. */
    readonly secret: string
    /** One record for each event, oldest first. At most the latest 10,000. */
    readonly deliveries: Delivery[]
    /**
     * Sends an event again, with the same id and a new timestamp.
     *
     * @param id the id of the delivery, which is the event id
     * @throws {EmulatorError} the delivery does not exist
     *
     * @example
     * for (const { id } of emulator.webhooks.deliveries) await emulator.webhooks.resend(id)
     */
    readonly resend: (id: Id<'event'>) => Promise<Delivery>
    /**
     * Sends a test event to each URL of the option `webhooks.destinations`, as the developer console does: with
     * `test: true` and a session id that starts with `sess_test_`, signed with the real secret. No session changes.
     * Delivery faults apply, such as `duplicate` and `bad_signature`.
     *
     * @returns one delivery for each destination, after its first attempt
     * @throws {EmulatorError} the type is not one of the contract, or the option `webhooks.destinations` has no URL
     *
     * @example
     * const [delivery] = await emulator.webhooks.sendTest('verification.approved')
     */
    readonly sendTest: (type: WebhookEventType) => Promise<Delivery[]>
    /**
     * Resolves when no delivery is in progress.
     *
     * @example
     * await emulator.webhooks.settled()
     */
    readonly settled: () => Promise<void>
    /** Deliberate faults of deliveries. */
    readonly faults: {
      /**
       * Adds a fault to the first delivery of the next events.
       *
       * @throws {EmulatorError} the fault is invalid
       *
       * @example
       * emulator.webhooks.faults.add({ kind: 'duplicate', type: 'verification.approved' })
       */
      readonly add: (fault: DeliveryFault) => void
      /**
       * Removes all faults that have not been used up.
       *
       * @example
       * emulator.webhooks.faults.clear()
       */
      readonly clear: () => void
    }
  }

  /** Simulates people on the hosted pages. */
  readonly sessions: {
    /**
     * Simulates a person who opens the hosted page: the session becomes IN_PROGRESS.
     *
     * @param options `checks`: outcomes of the checks that the person completed. The other checks do not change
     * @throws {EmulatorError} the session does not exist, the person has already finished it, or its workflow lacks
     *   one of the checks
     *
     * @example
     * emulator.sessions.start(session.session_id, { checks: { id_verification: 'passed' } })
     */
    readonly start: (id: Id<'session'>, options?: { readonly checks?: CheckOutcomes | undefined }) => void
    /**
     * Simulates the end of the person's visit, or of the review after it, with a status. Results of the checks follow
     * from the status:
     *
     * - APPROVED: all checks pass.
     * - DECLINED: one check fails, the first one of the workflow that has no result and is not in `checks`. The others
     *   pass. If a check has failed already, or fails because of `checks`, no other check fails.
     * - IN_REVIEW: the ID, liveness and face match checks pass, the others are in review.
     * - ABANDONED, EXPIRED: the checks do not change.
     *
     * Checks that passed or failed before keep their result. Only if all of them passed, DECLINED fails the first one.
     *
     * @param options `checks`: outcomes of checks, which replace the ones above
     * @returns a promise that resolves when the webhook has been attempted
     * @throws {EmulatorError} the session does not exist, it has already ended, the status is not one of those above,
     *   or the workflow lacks one of the checks
     *
     * @example
     * await emulator.sessions.complete(session.session_id, 'DECLINED', { checks: { face_match: 'failed' } })
     */
    readonly complete: (
      id: Id<'session'>,
      status: SessionEnd,
      options?: { readonly checks?: CheckOutcomes | undefined },
    ) => Promise<void>
  }

  /** Simulates the people on the roster. */
  readonly members: MemberControls

  /** Simulates people on the consent page. */
  readonly signIn: SignInControls

  /** Outcomes of standalone checks. */
  readonly checks: {
    /**
     * Sets the outcome of standalone checks of one type, including those of `checks.kycCredential`.
     *
     * @param options `times`: number of checks that get the outcome, default `Infinity`. Outcomes with a number are
     *   used before one without
     *
     * @example
     * emulator.checks.script('liveness', 'failed', { times: 1 })
     * emulator.checks.script('face_match', { data: { similarity: 0.4 } })
     */
    readonly script: <Type extends CheckType>(
      type: Type,
      outcome: ScriptedOutcome<Type>,
      options?: { readonly times?: number | undefined },
    ) => void
    /**
     * Removes all scripted outcomes, including those of the option `outcomes`.
     *
     * @example
     * emulator.checks.clear()
     */
    readonly clear: () => void
  }

  /** Deliberate faults of requests. */
  readonly faults: {
    /**
     * Adds a fault to the next requests.
     *
     * @throws {EmulatorError} the fault is invalid, matches no operation, has a code that the contract does not name
     *   for the operation, or has no effect
     * @see docs/reference/error-codes.md
     *
     * @example
     * emulator.faults.add({ match: 'checks.liveness', reset: true, when: 'after' })
     */
    readonly add: <const Target extends FaultTarget = FaultTarget>(fault: Fault<Target>) => void
    /**
     * Removes all faults that have not been used up.
     *
     * @example
     * emulator.faults.clear()
     */
    readonly clear: () => void
  }

  /** The emulator's clock. */
  readonly clock: {
    /**
     * Returns the current time of the emulator, which sessions, codes and tokens use.
     *
     * @example
     * const now = emulator.clock.now()
     */
    readonly now: () => Date
    /**
     * Moves the clock forward. Sessions that are due expire, and failed deliveries that are due are sent again. Without
     * this call, that happens at the next request, and once a second while the emulator listens.
     *
     * @param ms milliseconds, 0 or more
     * @returns a promise that resolves when the webhooks have been attempted. The sessions expire before it returns
     * @throws {EmulatorError} `ms` is negative or not a finite number
     *
     * @example
     * await emulator.clock.advance(15 * 60_000)
     */
    readonly advance: (ms: number) => Promise<void>
  }

  /** Requests received, oldest first. At most the latest 10,000. */
  readonly requests: RecordedRequest[]
  /** Charges, oldest first. */
  readonly ledger: LedgerEntry[]

  /**
   * Restores the initial state: no sessions, sign-ins, requests, faults or charges, and the options' members,
   * workflows, outcomes and balance. Servers keep listening, and signing keys are kept.
   *
   * @example
   * emulator.reset()
   */
  readonly reset: () => void

  /**
   * Differs from an earlier one if a request, a webhook or the clock may have changed the state in the meantime.
   * Compare it before you take a snapshot, which costs more the more the emulator holds. Calls of these controls do not
   * count.
   */
  readonly revision: string

  /**
   * Returns the whole state as JSON: sessions, members, tokens and signing keys, idempotency keys, charges, workflows,
   * faults, scripted outcomes, deliveries with their pending retries, the clock, the generator of ids
   * and the latest 1,000 requests. Options, addresses and requests in progress are not part of it.
   *
   * A snapshot contains tokens and private keys. Outside of the emulator, they are worth nothing.
   *
   * @example
   * const json = JSON.stringify(await emulator.snapshot())
   * await emulator.restore(JSON.parse(json))
   */
  readonly snapshot: () => Promise<EmulatorSnapshot>

  /**
   * Replaces the state with that of a snapshot, of this or of another emulator. From then on, responses are those of
   * the emulator at the time of the snapshot: the same ids, tokens, retries and outcomes. Options stay those of this
   * emulator, and addresses in responses start with its own. A delivery that was in progress is attempted again.
   *
   * The time goes on as if the emulator had run in between, so that your app accepts its tokens and signatures. If
   * either emulator has the option `clock`, the time is that of the snapshot.
   *
   * @param snapshot what `snapshot` returned, also after JSON
   * @throws {EmulatorError} the value is not a snapshot of this version. The state stays as it was
   *
   * @example
   * const signedUp = await emulator.snapshot()
   * await emulator.restore(signedUp)
   */
  readonly restore: (snapshot: EmulatorSnapshot) => Promise<void>

  /**
   * Serves the emulator over HTTP, on Node, Bun and Deno.
   *
   * @throws {ConfigurationError} an option is invalid, the port is in use, or the runtime has no `node:http`
   *
   * @example
   * const server = await emulator.listen({ port: 0 })
   * console.log(server.url, server.consoleUrl)
   * await server.close()
   */
  readonly listen: (options?: ListenOptions) => Promise<EmulatorServer>
}

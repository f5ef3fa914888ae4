import { checkStatuses, checkTypes } from '../../contract/verification/check-data.ts'
import type { WebhookEventType } from '../../contract/webhooks/events.ts'
import { webhookEventStatuses } from '../../contract/webhooks/events.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import type { Emulator } from '../controls/controls.ts'
import { fullSession } from '../routes/sessions.ts'
import type { EmulatorSnapshot } from '../snapshots/snapshot.ts'
import { withoutSecrets } from '../state/secrets.ts'
import type { ServiceState } from '../state/service-state.ts'
import { decisionOf, type HostedSession } from '../state/sessions/hosted-session.ts'
import { type SessionEnd, sessionEndNames } from '../state/sessions/sessions.ts'
import { deliveryFaultKinds } from '../state/webhooks/delivery-faults.ts'

/** The part of a JSON Schema that describes a field. */
export interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly description: string
}

/** The content of a request to the control API. */
interface ControlCall {
  /** Ids from the path. */
  readonly ids: Readonly<Record<string, string>>
  /** The JSON object of the body. Empty if there is none. */
  readonly body: Readonly<Record<string, unknown>>
  /** Address of the emulator. Addresses in the result start with it. */
  readonly baseUrl: string
}

/** A route of the control API. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below the API, such as `/sessions/{id}/complete`. */
  readonly path: string
  /** What it does, as a sentence. */
  readonly summary: string
  /** The fields of the body. Others are rejected. */
  readonly fields?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
  /** Maximum size of the body. @default 1 MiB */
  readonly maxBodyBytes?: number
  readonly act: (call: ControlCall) => unknown
}

const checks: FieldSchema = { type: 'object', description: 'Outcomes of checks, by type of check.' }
const times: FieldSchema = {
  type: ['integer', 'string'],
  description: 'How often it applies: a positive number, or "Infinity" for always.',
}

/**
 * Returns the routes. Each has the name of an in-process control and does the same.
 *
 * @param state called by each route, because a reset creates a new state
 */
export function controlRoutes(emulator: () => Emulator, state: () => ServiceState): readonly ControlRoute[] {
  const sessionOf = (id = ''): HostedSession => {
    const session = state().sessions.find(id)
    if (session === undefined) throw new EmulatorError({ message: `The session does not exist: ${id}` })
    return session
  }
  const end = (path: string, status: SessionEnd, summary: string): ControlRoute => ({
    method: 'POST',
    path: `/sessions/{id}/${path}`,
    summary,
    fields: { checks },
    act: async ({ ids: { id = '' }, body, baseUrl }) => {
      await emulator().sessions.complete(id, status, body)
      return sessionView(sessionOf(id), baseUrl)
    },
  })
  const snapshotBy = (method: 'GET' | 'POST'): ControlRoute => ({
    method,
    path: '/snapshot',
    summary: 'Returns the whole state, as POST /restore takes it. It contains tokens and signing keys.',
    act: () => emulator().snapshot(),
  })
  return [
    {
      method: 'GET',
      path: '/sessions',
      summary: 'Returns all sessions, newest first.',
      act: ({ baseUrl }) =>
        state()
          .sessions.all()
          .map((session) => sessionView(session, baseUrl)),
    },
    {
      method: 'GET',
      path: '/sessions/{id}',
      summary: 'Returns a session.',
      act: ({ ids, baseUrl }) => sessionView(sessionOf(ids.id), baseUrl),
    },
    {
      method: 'POST',
      path: '/sessions/{id}/start',
      summary: 'Simulates a person who opens the hosted page.',
      fields: { checks },
      act: ({ ids: { id = '' }, body, baseUrl }) => {
        emulator().sessions.start(id, body)
        return sessionView(sessionOf(id), baseUrl)
      },
    },
    {
      method: 'POST',
      path: '/sessions/{id}/complete',
      summary: 'Ends the visit of the person with a status, and sends the webhook.',
      fields: {
        status: { enum: sessionEndNames, description: 'The status. APPROVED if it is missing.' },
        checks,
      },
      act: async ({ ids: { id = '' }, body: { status = 'APPROVED', ...options }, baseUrl }) => {
        await emulator().sessions.complete(id, status as SessionEnd, options)
        return sessionView(sessionOf(id), baseUrl)
      },
    },
    end('decline', 'DECLINED', 'Declines the session: one check fails.'),
    end('expire', 'EXPIRED', 'Lets the session expire.'),
    end('review', 'IN_REVIEW', 'Ends the visit of the person with a review that is pending.'),
    {
      method: 'POST',
      path: '/checks',
      summary: 'Sets the outcome of the next standalone checks of one type.',
      fields: {
        type: { enum: checkTypes, description: 'The type of check.' },
        outcome: {
          type: ['string', 'object'],
          description: `A status (${checkStatuses.join(', ')}), or an object with status, score, data and error.`,
        },
        times,
      },
      required: ['type', 'outcome'],
      act: ({ body: { type, outcome, ...options } }) =>
        emulator().checks.script(type as 'liveness', outcome as 'passed', timesOf(options)),
    },
    {
      method: 'DELETE',
      path: '/checks',
      summary: 'Removes all scripted outcomes.',
      act: () => emulator().checks.clear(),
    },
    {
      method: 'GET',
      path: '/faults',
      summary: 'Returns the faults that have not been used up.',
      act: () => state().faults.pending.map(({ fault, left }) => ({ ...fault, left: String(left) })),
    },
    {
      method: 'POST',
      path: '/faults',
      summary: 'Adds a fault to the next requests.',
      fields: {
        match: {
          type: ['string', 'object'],
          description: 'An operation, or method and path. Every operation if missing.',
        },
        delayMs: { type: 'number', description: 'Delays the request, in milliseconds.' },
        status: { type: 'integer', description: 'Responds with an error of this status.' },
        code: { type: ['string', 'object'], description: 'The code of the error.' },
        headers: { type: 'object', description: 'Additional headers of the error response.' },
        malformed: { type: ['string', 'boolean'], description: 'Sends a malformed response.' },
        reset: { type: 'boolean', description: 'Drops the connection.' },
        when: { enum: ['before', 'after'], description: 'Before or after the operation is executed.' },
        times,
      },
      act: ({ body }) => emulator().faults.add({ ...body, ...timesOf(body) }),
    },
    {
      method: 'DELETE',
      path: '/faults',
      summary: 'Removes all faults of requests.',
      act: () => emulator().faults.clear(),
    },
    {
      method: 'GET',
      path: '/webhooks',
      summary: 'Returns the deliveries of webhooks, oldest first.',
      act: () => emulator().webhooks.deliveries,
    },
    {
      method: 'POST',
      path: '/webhooks/{id}/resend',
      summary: 'Sends an event again, with the same id and a new timestamp.',
      act: ({ ids: { id = '' } }) => emulator().webhooks.resend(id),
    },
    {
      method: 'POST',
      path: '/webhooks/test',
      summary: 'Sends a test event to each configured destination.',
      fields: { type: { enum: Object.keys(webhookEventStatuses), description: 'The type of the event.' } },
      required: ['type'],
      act: ({ body }) => emulator().webhooks.sendTest(body.type as WebhookEventType),
    },
    {
      method: 'POST',
      path: '/webhooks/settled',
      summary: 'Waits until no delivery is in progress.',
      act: () => emulator().webhooks.settled(),
    },
    {
      method: 'POST',
      path: '/webhooks/faults',
      summary: 'Adds a fault to the first delivery of the next events.',
      fields: {
        kind: { enum: deliveryFaultKinds, description: 'The kind of fault.' },
        type: {
          enum: Object.keys(webhookEventStatuses),
          description: 'The type of the events. Every type if missing.',
        },
        ageSeconds: { type: 'number', description: 'How long ago a late event was signed, in seconds.' },
        times,
      },
      required: ['kind'],
      act: ({ body }) => emulator().webhooks.faults.add({ ...body, ...timesOf(body) } as { kind: 'lost' }),
    },
    {
      method: 'DELETE',
      path: '/webhooks/faults',
      summary: 'Removes all faults of deliveries.',
      act: () => emulator().webhooks.faults.clear(),
    },
    {
      method: 'GET',
      path: '/clock',
      summary: 'Returns the time of the emulator.',
      act: () => ({ now: emulator().clock.now() }),
    },
    {
      method: 'POST',
      path: '/clock/advance',
      summary: 'Moves the clock forward. What is due expires and is sent again.',
      fields: { ms: { type: 'number', description: 'Milliseconds, 0 or more.' } },
      required: ['ms'],
      act: async ({ body }) => {
        await emulator().clock.advance(body.ms as number)
        return { now: emulator().clock.now() }
      },
    },
    {
      method: 'GET',
      path: '/members',
      summary: 'Returns the roster, with the activation links that are valid.',
      act: ({ baseUrl }) =>
        state()
          .roster.all()
          .map((member) => ({
            ...member,
            activation_link: state().roster.activationLink(member.member_id, baseUrl),
          })),
    },
    {
      method: 'POST',
      path: '/members/{id}/activate',
      summary:
        'Simulates a person who follows the activation link. The id is a member id, an email or a svc_id.',
      act: ({ ids: { id = '' } }) => emulator().members.activate(id),
    },
    {
      method: 'POST',
      path: '/members/{id}/remove-identity',
      summary: 'Simulates a person who deletes their identity.',
      act: ({ ids: { id = '' } }) => emulator().members.removeIdentity(id),
    },
    {
      method: 'POST',
      path: '/sign-in/approve',
      summary: 'Simulates a person who agrees on the consent page, and returns the callback URL.',
      fields: {
        url: { type: 'string', description: 'URL of the authorization request.' },
        user: { type: 'string', description: 'Who signs in: sub or email. The first user if missing.' },
      },
      required: ['url'],
      act: ({ body: { url, ...options } }) => ({ url: emulator().signIn.approve(String(url), options) }),
    },
    {
      method: 'POST',
      path: '/sign-in/deny',
      summary: 'Simulates a person who declines on the consent page, and returns the callback URL.',
      fields: { url: { type: 'string', description: 'URL of the authorization request.' } },
      required: ['url'],
      act: ({ body }) => ({ url: emulator().signIn.deny(String(body.url)) }),
    },
    {
      method: 'POST',
      path: '/sign-in/rotate-keys',
      summary: 'Generates a new signing key.',
      fields: {
        keepOld: { type: 'boolean', description: 'Whether older tokens stay valid. True if missing.' },
      },
      act: ({ body }) => emulator().signIn.rotateKeys(body),
    },
    {
      method: 'GET',
      path: '/tokens',
      summary: 'Returns who signed in, without the tokens themselves.',
      act: () =>
        state()
          .signIns.issued()
          .map(({ issuedAt, status, login }) => ({
            issued_at: issuedAt,
            status,
            sub: login.user.sub,
            client_id: login.clientId,
            scopes: login.scopes,
          })),
    },
    {
      method: 'GET',
      path: '/ledger',
      summary: 'Returns the charges, oldest first.',
      act: () => emulator().ledger,
    },
    {
      method: 'GET',
      path: '/requests',
      summary: 'Returns the requests received, oldest first. Secrets are masked.',
      act: () => emulator().requests.map(withoutSecrets),
    },
    {
      method: 'POST',
      path: '/reset',
      summary: 'Restores the initial state.',
      act: () => emulator().reset(),
    },
    snapshotBy('GET'),
    snapshotBy('POST'),
    {
      method: 'POST',
      path: '/restore',
      summary: 'Replaces the state with that of a snapshot.',
      fields: {
        version: { type: 'integer', description: 'The version of the snapshot.' },
        takenAt: { type: 'string', description: 'When the snapshot was taken.' },
        signingKeys: { type: 'array', description: 'The signing keys.' },
        state: { type: 'object', description: 'Everything else.' },
        digest: { type: 'string', description: 'Hash of the rest.' },
      },
      // A snapshot contains the bodies of requests.
      maxBodyBytes: 256 * 1024 * 1024,
      act: ({ body }) => emulator().restore(body as unknown as EmulatorSnapshot),
    },
  ]
}

/** Returns a session with its decision and its history, and without its token. */
function sessionView(session: HostedSession, baseUrl: string): object {
  const { session_token: _, ...facts } = fullSession(session, baseUrl)
  return { ...facts, decision: decisionOf(session), history: session.history }
}

/** JSON has no `Infinity`. */
const timesOf = ({ times: given }: Readonly<Record<string, unknown>>) =>
  given === undefined ? {} : { times: given === 'Infinity' ? Number.POSITIVE_INFINITY : (given as number) }

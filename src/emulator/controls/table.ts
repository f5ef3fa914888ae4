import * as z from 'zod/mini'
import { authorize } from '../../contract/sign-in/oidc.ts'
import { checkTypes } from '../../contract/verification/check-data.ts'
import {
  testSessionPrefix,
  type WebhookEvent,
  type WebhookEventType,
  webhookEventStatuses,
} from '../../contract/webhooks/events.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import { deliveryFaultFields, eventType, faultFields } from '../model/options/fault-fields.ts'
import { checkOutcomes, described, optional, outcomeOf, times, zeroOrMore } from '../model/options/fields.ts'
import type { EmulatorUser } from '../model/options/sign-in-options.ts'
import { withoutSecrets } from '../model/request-log.ts'
import { ServiceError } from '../model/service-error.ts'
import { ServiceState } from '../model/service-state.ts'
import { decisionOf, type HostedSession, isDecided } from '../model/sessions/hosted-session.ts'
import { type SessionEnd, sessionEndNames } from '../model/sessions/sessions.ts'
import type { ConsentRequest } from '../model/sign-in/sign-ins.ts'
import { stateFrom, takeSnapshot } from '../model/snapshot.ts'
import type { Delivery } from '../model/webhooks/deliveries.ts'
import { approveAuthorization, denyAuthorization, readAuthorization } from '../service/authorization.ts'
import { fullSession } from '../service/sessions.ts'
import { type Control, control, plainControl } from './control.ts'

const id = z.string()
const checks = optional(checkOutcomes, 'Outcomes of checks, by type of check.')
const authorizationUrl = described(z.string(), 'URL of the authorization request.')

/** Returns a session with its decision and its history, and without its token. */
function sessionView(session: HostedSession, baseUrl: string) {
  const { session_token: _, ...facts } = fullSession(session, baseUrl)
  return { ...facts, decision: decisionOf(session), history: session.history }
}

function sessionOf({ sessions }: ServiceState, sessionId: string, baseUrl: string) {
  const session = sessions.find(sessionId)
  if (session === undefined) throw new EmulatorError({ message: `The session does not exist: ${sessionId}` })
  return sessionView(session, baseUrl)
}

const completeSession = control({
  name: 'sessions.complete',
  route: 'POST /sessions/{id}/complete',
  summary: 'Ends the visit of the person with a status, by default APPROVED, and sends the webhook.',
  fields: { id, status: optional(z.enum(sessionEndNames), 'The status. APPROVED if it is missing.'), checks },
  async act({ state, baseUrl }, fields) {
    await state.sessions.complete(fields.id, fields.status ?? 'APPROVED', fields.checks ?? {})
    return sessionOf(state, fields.id, baseUrl)
  },
})

/** Declares a control that ends a session with one status. */
const endSession = (action: string, status: SessionEnd, summary: string) =>
  control({
    name: `sessions.${action}`,
    route: `POST /sessions/{id}/${action}`,
    summary,
    fields: { id, checks },
    act: (emulator, fields) => completeSession.act(emulator, { ...fields, status }),
  })

export const sessionControls = {
  list: plainControl({
    name: 'sessions.list',
    route: 'GET /sessions',
    summary: 'Returns all sessions, newest first.',
    act: ({ state, baseUrl }) => state.sessions.all().map((session) => sessionView(session, baseUrl)),
  }),
  retrieve: control({
    name: 'sessions.retrieve',
    route: 'GET /sessions/{id}',
    summary: 'Returns a session.',
    fields: { id },
    act: ({ state, baseUrl }, fields) => sessionOf(state, fields.id, baseUrl),
  }),
  start: control({
    name: 'sessions.start',
    route: 'POST /sessions/{id}/start',
    summary: 'Simulates a person who opens the hosted page.',
    fields: { id, checks },
    act({ state, baseUrl }, fields) {
      state.sessions.start(fields.id, fields.checks ?? {})
      return sessionOf(state, fields.id, baseUrl)
    },
  }),
  complete: completeSession,
  decline: endSession('decline', 'DECLINED', 'Declines the session: one check fails.'),
  expire: endSession('expire', 'EXPIRED', 'Lets the session expire.'),
  review: endSession('review', 'IN_REVIEW', 'Ends the visit of the person with a review that is pending.'),
}

export const checkControls = {
  script: control({
    name: 'checks.script',
    route: 'POST /checks',
    summary: 'Sets the outcome of the next standalone checks of one type.',
    fields: {
      type: described(z.enum(checkTypes), 'The type of check.'),
      outcome: described(outcomeOf(), 'A status, or an object with status, score, data and error.'),
      times: times('Infinity'),
    },
    act: ({ state }, { type, outcome, times: count = Number.POSITIVE_INFINITY }) =>
      state.outcomes.script(type, outcome, count),
  }),
  clear: plainControl({
    name: 'checks.clear',
    route: 'DELETE /checks',
    summary: 'Removes all scripted outcomes.',
    act: ({ state }) => state.outcomes.clear(),
  }),
}

export const faultControls = {
  list: plainControl({
    name: 'faults.list',
    route: 'GET /faults',
    summary: 'Returns the faults that have not been used up.',
    act: ({ state }) => state.faults.pending.map(({ fault, left }) => ({ ...fault, left: String(left) })),
  }),
  add: control({
    name: 'faults.add',
    route: 'POST /faults',
    summary: 'Adds a fault to the next requests.',
    fields: faultFields,
    act: ({ state, served }, fault) => state.faults.add(fault, served),
  }),
  clear: plainControl({
    name: 'faults.clear',
    route: 'DELETE /faults',
    summary: 'Removes all faults of requests.',
    act: ({ state }) => state.faults.clear(),
  }),
}

/**
 * Sends a test event to each webhook destination, as the developer console does (contract, section 6). It belongs to a
 * session that does not exist. Resolves after the first attempts.
 */
async function sendTestEvent(
  { clock, random, deliveries, settings }: ServiceState,
  type: WebhookEventType,
): Promise<Delivery[]> {
  const { destinations = [] } = settings.webhooks
  if (destinations.length === 0)
    throw new EmulatorError({
      message:
        'webhooks.sendTest: a test event needs a destination. List your receiver in the option webhooks.destinations of createEmulator.',
    })
  const status = webhookEventStatuses[type]
  const at = clock.now().toISOString()
  const verdict = isDecided(status) ? status : null
  const decision = { status, decision: verdict, decided_at: verdict && at, checks: [], vendor_data: null }
  return Promise.all(
    destinations.map((url) =>
      deliveries.send(url, {
        event_id: random.id('evt_'),
        type,
        session_id: random.id(testSessionPrefix),
        status,
        vendor_data: null,
        decision,
        occurred_at: at,
        test: true,
      } as WebhookEvent),
    ),
  )
}

export const webhookControls = {
  list: plainControl({
    name: 'webhooks.deliveries',
    route: 'GET /webhooks',
    summary: 'Returns the deliveries of webhooks, oldest first.',
    act: ({ state }): Delivery[] => state.deliveries.records,
  }),
  resend: control({
    name: 'webhooks.resend',
    route: 'POST /webhooks/{id}/resend',
    summary: 'Sends an event again, with the same id and a new timestamp.',
    fields: { id },
    act: ({ state }, fields) => state.deliveries.resend(fields.id),
  }),
  sendTest: control({
    name: 'webhooks.sendTest',
    route: 'POST /webhooks/test',
    summary: 'Sends a test event to each configured destination.',
    fields: { type: described(eventType, 'The type of the event.') },
    act: ({ state }, { type }) => sendTestEvent(state, type),
  }),
  settled: plainControl({
    name: 'webhooks.settled',
    route: 'POST /webhooks/settled',
    summary: 'Waits until no delivery is in progress.',
    act: ({ state }) => state.deliveries.settled(),
  }),
  addFault: control({
    name: 'webhooks.faults.add',
    route: 'POST /webhooks/faults',
    summary: 'Adds a fault to the first delivery of the next events.',
    fields: deliveryFaultFields,
    act: ({ state }, fault) => state.deliveries.faults.add(fault),
  }),
  clearFaults: plainControl({
    name: 'webhooks.faults.clear',
    route: 'DELETE /webhooks/faults',
    summary: 'Removes all faults of deliveries.',
    act: ({ state }) => state.deliveries.faults.clear(),
  }),
}

export const clockControls = {
  now: plainControl({
    name: 'clock.now',
    route: 'GET /clock',
    summary: 'Returns the time of the emulator.',
    act: ({ state }) => ({ now: state.clock.now() }),
  }),
  advance: control({
    name: 'clock.advance',
    route: 'POST /clock/advance',
    summary: 'Moves the clock forward. What is due expires and is sent again.',
    fields: { ms: described(zeroOrMore, 'Milliseconds, 0 or more.') },
    act({ state }, { ms }) {
      state.clock.advance(ms)
      // The sessions expire before the promise is returned.
      return state.runDueTasks().then(() => ({ now: state.clock.now() }))
    },
  }),
}

export const memberControls = {
  list: plainControl({
    name: 'members.list',
    route: 'GET /members',
    summary: 'Returns the roster, with the activation links that are valid.',
    act: ({ state: { roster }, baseUrl }) =>
      roster.all().map((member) => ({ ...member, activation_link: roster.activationLink(member.member_id, baseUrl) })),
  }),
  activate: control({
    name: 'members.activate',
    route: 'POST /members/{id}/activate',
    summary: 'Simulates a person who follows the activation link. The id is a member id, an email or a svc_id.',
    fields: { id },
    act: ({ state }, fields) => state.roster.activate(fields.id),
  }),
  removeIdentity: control({
    name: 'members.removeIdentity',
    route: 'POST /members/{id}/remove-identity',
    summary: 'Simulates a person who deletes their identity.',
    fields: { id },
    act: ({ state }, fields) => state.roster.removeIdentity(fields.id),
  }),
}

/** Returns the callback URL of a person who agrees, or the one with the error if the request is invalid. */
const approveSignIn = (state: ServiceState, url: string, user: string | undefined) =>
  visit('signIn.approve', state, url, (request) => approveAuthorization(state, request, findUser(state, user)))

/** Returns the callback URL of a person who declines. */
const denySignIn = (state: ServiceState, url: string) => visit('signIn.deny', state, url, denyAuthorization)

function visit(
  call: string,
  { settings }: ServiceState,
  url: string,
  decide: (request: ConsentRequest) => string,
): string {
  if (!URL.canParse(url) || !new URL(url).pathname.endsWith(authorize.path))
    throw new EmulatorError({
      message: `${call}: pass the URL of an authorization request, such as the url that createAuthorization returns`,
    })
  try {
    const request = readAuthorization(settings, new URL(url).searchParams)
    return 'location' in request ? request.location : decide(request)
  } catch (error) {
    if (error instanceof ServiceError)
      throw new EmulatorError({ message: `${call}: ${error.facts.code}: ${error.message}` })
    throw error
  }
}

function findUser({ settings: { users } }: ServiceState, ref: string | undefined): EmulatorUser {
  const user = ref === undefined ? users[0] : users.find(({ sub, email }) => sub === ref || email === ref)
  if (user === undefined)
    throw new EmulatorError({
      message: `signIn.approve: the user does not exist: ${ref}. Pass the sub or the email of a user of the option users`,
    })
  return user
}

export const signInControls = {
  approve: control({
    name: 'signIn.approve',
    route: 'POST /sign-in/approve',
    summary: 'Simulates a person who agrees on the consent page, and returns the callback URL.',
    fields: {
      url: authorizationUrl,
      user: optional(z.string(), 'Who signs in: sub or email. The first user if missing.'),
    },
    act: ({ state }, { url, user }) => ({ url: approveSignIn(state, url, user) }),
  }),
  deny: control({
    name: 'signIn.deny',
    route: 'POST /sign-in/deny',
    summary: 'Simulates a person who declines on the consent page, and returns the callback URL.',
    fields: { url: authorizationUrl },
    act: ({ state }, { url }) => ({ url: denySignIn(state, url) }),
  }),
  rotateKeys: control({
    name: 'signIn.rotateKeys',
    route: 'POST /sign-in/rotate-keys',
    summary: 'Generates a new signing key.',
    fields: { keepOld: optional(z.boolean(), 'Whether older tokens stay valid. True if missing.') },
    act: ({ state }, { keepOld = true }) => state.signingKeys.rotate(keepOld),
  }),
  tokens: plainControl({
    name: 'signIn.tokens',
    route: 'GET /tokens',
    summary: 'Returns who signed in, without the tokens themselves.',
    act: ({ state }) =>
      state.signIns.issued().map(({ issuedAt, status, login }) => ({
        issued_at: issuedAt,
        status,
        sub: login.user.sub,
        client_id: login.clientId,
        scopes: login.scopes,
      })),
  }),
}

/** Describes a part of a snapshot. The snapshot is checked as a whole, so that another version is named. */
const partOfSnapshot = (type: string, description: string) => z.optional(described(z.unknown(), { type, description }))

export const stateControls = {
  ledger: plainControl({
    name: 'emulator.ledger',
    route: 'GET /ledger',
    summary: 'Returns the charges, oldest first.',
    act: ({ state }) => state.wallet.ledger,
  }),
  requests: plainControl({
    name: 'emulator.requests',
    route: 'GET /requests',
    summary: 'Returns the requests received, oldest first. Secrets are masked.',
    act: ({ state }) => state.requestLog.requests.map(withoutSecrets),
  }),
  reset: plainControl({
    name: 'emulator.reset',
    route: 'POST /reset',
    summary: 'Restores the initial state.',
    act: ({ state, replaceState }) => replaceState(new ServiceState(state.settings, state.signingKeys)),
  }),
  snapshot: plainControl({
    name: 'emulator.snapshot',
    route: 'GET /snapshot',
    summary: 'Returns the whole state, as POST /restore takes it. It contains tokens and signing keys.',
    act: ({ state }) => takeSnapshot(state),
  }),
  restore: control({
    name: 'emulator.restore',
    route: 'POST /restore',
    summary: 'Replaces the state with that of a snapshot.',
    fields: {
      version: partOfSnapshot('integer', 'The version of the snapshot.'),
      takenAt: partOfSnapshot('string', 'When the snapshot was taken.'),
      signingKeys: partOfSnapshot('array', 'The signing keys.'),
      state: partOfSnapshot('object', 'Everything else.'),
      digest: partOfSnapshot('string', 'Hash of the rest.'),
    },
    // A snapshot contains the bodies of requests.
    maxBodyBytes: 256 * 1024 * 1024,
    act: async ({ state, replaceState }, saved) => replaceState(await stateFrom(saved, state.settings)),
  }),
}

/** Every control, in the order of the documentation. */
export const allControls: readonly Control[] = [
  sessionControls,
  checkControls,
  faultControls,
  webhookControls,
  clockControls,
  memberControls,
  signInControls,
  stateControls,
].flatMap((group) => Object.values<Control>(group))

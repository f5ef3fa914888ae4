import { memberStatuses } from '../../contract/organization/member-results.ts'
import { memberRoles } from '../../contract/organization/roles.ts'
import { checkTypes } from '../../contract/verification/check-data.ts'
import { sessionStatuses } from '../../contract/verification/session-status.ts'
import type { MemberRow } from '../state/roster/member-row.ts'
import type { SavedState } from '../state/service-state.ts'
import type { HostedSession } from '../state/sessions/hosted-session.ts'
import type { IssuedTokens, Login } from '../state/sign-ins.ts'
import type { LedgerEntry } from '../state/wallet.ts'
import { type DeliveryFault, deliveryFaultKinds } from '../state/webhooks/delivery-faults.ts'
import * as is from './shapes.ts'

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

const { each, list, mapOf, object, optional, shape, text, withMembers } = is

const maybeText = optional(text)
const nullOrText = shape<string | null>(
  'a string or null',
  (part) => part === null || typeof part === 'string',
)
const headers = shape<Record<string, string>>('an object with strings', (part) =>
  Object.values(Object(part)).every((value) => typeof value === 'string'),
)
/** How often something still applies. */
const left = shape<number>(
  'a positive whole number or Infinity',
  (part) => part === Number.POSITIVE_INFINITY || (Number.isSafeInteger(part) && Number(part) > 0),
)
const outcome = shape<'failed'>(
  'a status or an object',
  (part) => typeof part === 'string' || (typeof part === 'object' && part !== null),
)

const user = object<Login['user']>({
  sub: text,
  ...each(maybeText, 'name', 'email'),
  claims: optional(is.anyObject()),
})

const workflow = withMembers<SavedState['workflows'][number]>({ id: text, name: text, features: list(text) })

const session = object<HostedSession>({
  ...each(text, 'id', 'path', 'token'),
  ...each(maybeText, 'redirectUrl', 'callback', 'vendorData'),
  ...each(is.date, 'createdAt', 'expiresAt', 'updatedAt'),
  workflow,
  metadata: optional(is.anyObject()),
  ttlSeconds: is.number,
  status: is.oneOf(sessionStatuses),
  verdict: optional(is.oneOf(['APPROVED', 'DECLINED'])),
  decidedAt: optional(is.date),
  checks: list(withMembers({ type: text, status: text, data: is.anyObject() })),
  selections: is.anyObject(),
  history: list(withMembers({ at: is.date, event: text })),
})

const member = object<MemberRow>({
  id: is.number,
  ...each(text, 'memberId', 'email'),
  createdAt: is.date,
  ...each(nullOrText, 'firstName', 'lastName', 'svcId'),
  role: is.oneOf(memberRoles),
  status: is.oneOf(memberStatuses),
  token: maybeText,
})

const delivery = object<ItemOf<SavedState['deliveries']['records']>>({
  ...each(text, 'id', 'url'),
  event: withMembers(each(text, 'event_id', 'type', 'session_id')),
  attempts: list(withMembers({ at: text, request: withMembers({ headers, body: text }) })),
  delivered: is.flag,
  retryAt: maybeText,
  retries: is.number,
})

const fault = object<ItemOf<SavedState['faults']['pending']>>({
  id: is.number,
  fault: withMembers({ ...each(optional(is.number), 'delayMs', 'status'), code: maybeText }),
  match: object(each(maybeText, 'operation', 'method', 'path')),
  left,
})

const code = {
  ...each(text, 'clientId', 'redirectUri', 'state'),
  ...each(maybeText, 'nonce', 'challenge'),
  scopes: list(text),
}

/** The shape of the state in a snapshot. If it changes, the version of snapshots does too. */
export const stateShape: is.Shape<SavedState> = object<SavedState>({
  clock: object({ offsetMs: is.number, hasOwnSource: is.flag }),
  random: shape<number[]>(
    'a list of four whole numbers',
    (part) => Array.isArray(part) && part.length === 4 && part.every(Number.isSafeInteger),
  ),
  requestLog: list(withMembers({ ...each(text, 'requestId', 'at', 'method', 'path'), headers })),
  keys: mapOf(object({ fingerprint: text, response: object({ status: is.number, headers, body: text }) })),
  faults: object({ lastId: is.number, pending: list(fault) }),
  wallet: object({
    balance: is.number,
    ledger: list(
      withMembers<LedgerEntry>({ operation: text, amount: is.number, balance: is.number, at: text }),
    ),
  }),
  outcomes: withMembers(each(optional(list(object({ outcome, left }))), ...checkTypes)),
  checkLog: list(
    withMembers({ at: is.date, sessionId: text, checks: list(withMembers(each(text, 'type', 'status'))) }),
  ),
  workflows: list(workflow),
  deliveries: object({
    records: list(delivery),
    held: list(text),
    faults: list(object({ fault: withMembers<DeliveryFault>({ kind: is.oneOf(deliveryFaultKinds) }), left })),
  }),
  sessions: list(session),
  roster: object({
    lastId: is.number,
    people: list(object({ row: member, isMember: is.flag, tokens: list(text) })),
    identities: mapOf(text),
  }),
  inviteLimit: mapOf(list(is.number)),
  signIns: object({
    codes: mapOf(object({ ...code, user, expiresAt: is.number })),
    refreshTokens: mapOf(
      object<IssuedTokens>({
        login: object<Login>({ user, clientId: text, scopes: list(text) }),
        issuedAt: is.date,
        status: is.oneOf<IssuedTokens['status']>(['live', 'rotated', 'revoked']),
      }),
    ),
  }),
  faceUuid: text,
  enrolledFaces: shape<Set<string>>('a set', (part) => part instanceof Set),
})

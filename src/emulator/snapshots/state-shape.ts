import { memberStatuses } from '../../contract/organization/member-results.ts'
import { memberRoles } from '../../contract/organization/roles.ts'
import { checkTypes } from '../../contract/verification/check-data.ts'
import { sessionStatuses } from '../../contract/verification/session-status.ts'
import type { Workflow } from '../../contract/verification/workflows.ts'
import type { CheckLogEntry } from '../state/check-log.ts'
import type { MemberRow } from '../state/roster/member-row.ts'
import type { SavedState } from '../state/service-state.ts'
import type { HostedSession } from '../state/sessions/hosted-session.ts'
import type { IssuedTokens } from '../state/sign-ins.ts'
import { type DeliveryFault, deliveryFaultKinds } from '../state/webhooks/delivery-faults.ts'
import {
  anyObject,
  date,
  each,
  flag,
  list,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  shape,
  text,
  withMembers,
} from './shapes.ts'

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never
type ValueOf<Values> = Values extends ReadonlyMap<string, infer Value> ? Value : never

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
  (part) => /^string|object$/.test(typeof part) && part !== null,
)

const user = object<ValueOf<SavedState['signIns']['codes']>['user']>({
  sub: text,
  ...each(maybeText, 'name', 'email'),
  claims: optional(anyObject()),
})

const workflow = withMembers<Workflow>({ id: text, name: text, features: list(text) })

const session = object<HostedSession>({
  ...each(text, 'id', 'path', 'token'),
  ...each(maybeText, 'redirectUrl', 'callback', 'vendorData'),
  ...each(date, 'createdAt', 'expiresAt', 'updatedAt'),
  workflow,
  metadata: optional(anyObject()),
  ttlSeconds: number,
  status: oneOf(sessionStatuses),
  verdict: optional(oneOf(['APPROVED', 'DECLINED'])),
  decidedAt: optional(date),
  checks: list(withMembers({ type: text, status: text, data: anyObject() })),
  selections: anyObject(),
  history: list(withMembers({ at: date, event: text })),
})

const member = object<MemberRow>({
  id: number,
  ...each(text, 'memberId', 'email'),
  createdAt: date,
  ...each(nullOrText, 'firstName', 'lastName', 'svcId'),
  role: oneOf(memberRoles),
  status: oneOf(memberStatuses),
  token: maybeText,
})

const delivery = object<ItemOf<SavedState['deliveries']['records']>>({
  ...each(text, 'id', 'url'),
  event: withMembers(each(text, 'event_id', 'type', 'session_id')),
  attempts: list(
    object<ItemOf<ItemOf<SavedState['deliveries']['records']>['attempts']>>({
      at: text,
      request: object({ headers, body: text }),
      fault: optional(oneOf(deliveryFaultKinds)),
      status: optional(number),
      ...each(maybeText, 'responseBody', 'error'),
    }),
  ),
  delivered: flag,
  retryAt: maybeText,
  retries: number,
})

const fault = object<ItemOf<SavedState['faults']['pending']>>({
  id: number,
  fault: withMembers({
    ...each(optional(number), 'delayMs', 'status'),
    code: maybeText,
    headers: optional(headers),
  }),
  match: object(each(maybeText, 'operation', 'method', 'path')),
  left,
})

const outcomes: Shape<SavedState['outcomes']> = withMembers(
  each(optional(list(object({ outcome, left }))), ...checkTypes),
)

/** The shape of the state in a snapshot. If it changes, the version of snapshots does too. */
export const stateShape: Shape<SavedState> = object<SavedState>({
  clock: object({ offsetMs: number, hasOwnSource: flag }),
  random: shape<number[]>(
    'a list of four whole numbers',
    (part) => Array.isArray(part) && part.length === 4 && part.every(Number.isSafeInteger),
  ),
  requestLog: list(
    object<ItemOf<SavedState['requestLog']>>({
      ...each(text, 'requestId', 'at', 'method', 'path'),
      ...each(maybeText, 'operation', 'idempotencyKey', 'body'),
      headers,
      bytes: number,
      status: optional(number),
    }),
  ),
  keys: mapOf(object({ fingerprint: text, response: object({ status: number, headers, body: text }) })),
  faults: object({ lastId: number, pending: list(fault) }),
  wallet: object({
    balance: number,
    ledger: list(
      object<ItemOf<SavedState['wallet']['ledger']>>({
        ...each(text, 'operation', 'requestId', 'at'),
        ...each(number, 'amount', 'balance'),
        idempotencyKey: maybeText,
      }),
    ),
  }),
  outcomes,
  checkLog: list(
    object<CheckLogEntry>({
      at: date,
      sessionId: text,
      checks: list(withMembers(each(text, 'type', 'status'))),
    }),
  ),
  workflows: list(workflow),
  deliveries: object({
    records: list(delivery),
    held: list(text),
    faults: list(
      object({
        fault: withMembers<DeliveryFault>({ kind: oneOf(deliveryFaultKinds), type: maybeText }),
        left,
      }),
    ),
  }),
  sessions: list(session),
  roster: object({
    lastId: number,
    people: list(object({ row: member, isMember: flag, tokens: list(text) })),
    identities: mapOf(text),
  }),
  inviteLimit: mapOf(list(number)),
  signIns: object({
    codes: mapOf(
      object({
        ...each(text, 'clientId', 'redirectUri', 'state'),
        ...each(maybeText, 'nonce', 'challenge'),
        scopes: list(text),
        user,
        expiresAt: number,
      }),
    ),
    refreshTokens: mapOf(
      object({
        login: object({ user, clientId: text, scopes: list(text) }),
        issuedAt: date,
        status: oneOf<IssuedTokens['status']>(['live', 'rotated', 'revoked']),
      }),
    ),
  }),
  faceUuid: text,
  enrolledFaces: shape<Set<string>>('a set', (part) => part instanceof Set),
})

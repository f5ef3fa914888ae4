import * as z from 'zod/mini'
import { memberStatuses } from '../../../contract/organization/member-results.ts'
import { checkTypes } from '../../../contract/verification/check-data.ts'
import { sessionStatuses, outcomes as verdicts } from '../../../contract/verification/session-status.ts'
import { latestTime } from '../clock.ts'
import { deliveryFaultFields, faultFields, matchRule } from '../options/fault-fields.ts'
import { anyObject, headers, outcomeOf, times } from '../options/fields.ts'
import { user } from '../options/sign-in-options.ts'
import type { RecordedRequest } from '../request-log.ts'
import type { MemberRow } from '../roster/member-row.ts'
import type { SavedState } from '../service-state.ts'
import type { HostedSession } from '../sessions/hosted-session.ts'
import type { LedgerEntry } from '../wallet.ts'
import type { Delivery } from '../webhooks/deliveries.ts'
import type { DeliveryAttempt } from '../webhooks/delivery-attempt.ts'
import { deliveryFaultKinds } from '../webhooks/delivery-faults.ts'

/** Times that are derived from these, such as that of the next attempt, are valid too. */
const isTime = (time: Date | string) => Math.abs(new Date(time).getTime()) <= latestTime

const aTime = { error: 'must be a time until the year 9000' }
const date = z.date().check(z.refine(isTime, aTime))
const timeText = z.string().check(z.refine(isTime, aTime))
const milliseconds = z.number().check(z.gte(-latestTime), z.lte(latestTime))
const optionalText = z.optional(z.string())
const nullableText = z.nullable(z.string())
const url = z.string().check(z.refine((text) => URL.canParse(text), { error: 'must be a URL' }))

const workflow = z.looseObject({ id: z.string(), name: z.string(), features: z.array(z.string()) })

const check = z.looseObject({
  type: z.string(),
  status: z.string(),
  score: z.optional(z.nullable(z.number())),
  data: anyObject(),
})

const historyEntry = z.discriminatedUnion('event', [
  z.strictObject({ at: date, event: z.literal('created') }),
  z.strictObject({ at: date, event: z.literal('opened') }),
  z.strictObject({ at: date, event: z.literal('check'), check: z.string(), status: z.string() }),
  z.strictObject({
    at: date,
    event: z.literal('status'),
    status: z.enum(sessionStatuses),
    by: z.enum(['person', 'api', 'review', 'time']),
  }),
])

const session = z.strictObject({
  workflow,
  redirectUrl: z.optional(url),
  callback: optionalText,
  vendorData: optionalText,
  metadata: z.optional(anyObject()),
  ttlSeconds: z.number(),
  id: z.string(),
  path: z.string(),
  token: z.string(),
  createdAt: date,
  expiresAt: date,
  updatedAt: date,
  status: z.enum(sessionStatuses),
  verdict: z.optional(z.enum(verdicts)),
  decidedAt: z.optional(date),
  checks: z.array(check),
  selections: z.partialRecord(z.enum(checkTypes), z.optional(z.enum(['passed', 'failed', 'review']))),
  history: z.array(historyEntry),
} satisfies Record<keyof HostedSession, unknown>)

const request = z.strictObject({
  requestId: z.string(),
  at: timeText,
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  operation: optionalText,
  idempotencyKey: optionalText,
  body: optionalText,
  bytes: z.number(),
  status: z.optional(z.number()),
  responseHeaders: z.optional(z.record(z.string(), z.string())),
  responseBody: optionalText,
} satisfies Record<keyof RecordedRequest, unknown>)

const response = z.strictObject({
  // Others have no body, or are not stored.
  status: z.int().check(z.gte(200), z.lte(203)),
  headers,
  body: z.string(),
})

const charge = z.strictObject({
  operation: z.string(),
  idempotencyKey: optionalText,
  amount: z.number(),
  balance: z.number(),
  requestId: z.string(),
  at: timeText,
} satisfies Record<keyof LedgerEntry, unknown>)

const attempt = z.strictObject({
  at: timeText,
  request: z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() }),
  fault: z.optional(z.enum(deliveryFaultKinds)),
  status: z.optional(z.number()),
  responseBody: optionalText,
  error: optionalText,
} satisfies Record<keyof DeliveryAttempt, unknown>)

const delivery = z.strictObject({
  id: z.string(),
  event: z.looseObject({ event_id: z.string(), type: z.string(), session_id: z.string() }),
  url: z.string(),
  attempts: z.array(attempt),
  delivered: z.boolean(),
  retryAt: z.optional(timeText),
  retries: z.int(),
} satisfies Record<keyof Delivery | 'retries', unknown>)

const row = z.strictObject({
  id: z.number(),
  memberId: z.string(),
  email: z.string(),
  createdAt: date,
  firstName: nullableText,
  lastName: nullableText,
  role: z.string(),
  status: z.enum(memberStatuses),
  svcId: nullableText,
  token: optionalText,
} satisfies Record<keyof MemberRow, unknown>)

const login = z.strictObject({ user, clientId: z.string(), scopes: z.array(z.string()) })

const code = z.strictObject({
  clientId: z.string(),
  redirectUri: z.string(),
  scopes: z.array(z.string()),
  state: z.string(),
  nonce: optionalText,
  challenge: optionalText,
  user,
  expiresAt: milliseconds,
})

const savedState = z.strictObject({
  clock: z.strictObject({ offsetMs: milliseconds, hasOwnSource: z.boolean() }),
  random: z
    .array(z.int().check(z.gte(0), z.lte(2 ** 32 - 1)))
    .check(z.length(4, { error: 'must contain four numbers' })),
  requestLog: z.array(request),
  keys: z.map(z.string(), z.strictObject({ fingerprint: z.string(), response })),
  faults: z.array(
    z.strictObject({
      fault: z.strictObject({ ...faultFields, code: optionalText }),
      match: matchRule,
      left: times,
    }),
  ),
  wallet: z.strictObject({ balance: z.number(), ledger: z.array(charge) }),
  outcomes: z.partialRecord(z.enum(checkTypes), z.array(z.strictObject({ outcome: outcomeOf(), left: times }))),
  checkLog: z.array(
    z.strictObject({
      at: date,
      sessionId: z.string(),
      checks: z.array(z.looseObject({ type: z.string(), status: z.string() })),
    }),
  ),
  workflows: z.array(workflow),
  deliveries: z.strictObject({
    records: z.array(delivery),
    held: z.array(z.string()),
    faults: z.array(z.strictObject({ fault: z.strictObject(deliveryFaultFields), left: times })),
  }),
  sessions: z.array(session),
  roster: z.strictObject({
    lastId: z.number(),
    rows: z.array(row),
    identities: z.map(z.string(), z.string()),
  }),
  inviteLimit: z.map(z.string(), z.array(milliseconds)),
  signIns: z.strictObject({
    codes: z.map(z.string(), code),
    refreshTokens: z.map(
      z.string(),
      z.strictObject({ login, issuedAt: date, status: z.enum(['live', 'rotated', 'revoked']) }),
    ),
  }),
  faceUuid: z.string(),
  enrolledFaces: z.set(z.string()),
} satisfies Record<keyof SavedState, unknown>)

/** What a snapshot contains. No call of an emulator fails because of a value that it accepts. */
export const savedSnapshot = z.strictObject({
  version: z.number(),
  takenAt: timeText,
  signingKeys: z.array(anyObject()),
  state: savedState,
})

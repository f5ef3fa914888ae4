// Misspelled on purpose: cspell:ignore suspnded

// A program that adds a type of event and a type of check, which the service has sent before this package lists them.
import {
  type AddedMember,
  type ApiError,
  type Check,
  type CheckFor,
  createWebhookHandler,
  isErrorCode,
  type Member,
  type OidcClient,
  type OrgClient,
  type Session,
  type SkippedMember,
  type Unlisted,
  type VerificationClient,
  type WebhookCallbacks,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
} from 'identity-service-sdk'
import type * as part from 'identity-service-sdk/webhooks'

declare module 'identity-service-sdk' {
  interface WebhookEventByType {
    /** A whole event. */
    readonly 'verification.suspended': SuspendedEvent
    /** Only the fields that the event has in addition. */
    readonly 'verification.noted': { readonly note: string }
  }
  interface CheckDataByType {
    readonly iris: { readonly match?: boolean | undefined }
  }
  interface SessionStatusRegistry {
    readonly SUSPENDED: true
  }
  interface CheckStatusRegistry {
    readonly skipped: true
  }
  interface MemberStatusRegistry {
    readonly paused: true
  }
  interface MemberRoleRegistry {
    readonly auditor: true
  }
  interface ScopeRegistry {
    readonly records: true
  }
  interface ErrorDetailsByCode {
    readonly wallet_frozen: { readonly until: string }
  }
  interface UsedInviteMethodRegistry {
    readonly sms: true
  }
  interface SkipReasonRegistry {
    readonly blocked: true
  }
  interface AgeBandErrorRegistry {
    readonly unsupported_band: true
  }
  interface LicenseModeRegistry {
    readonly account: true
  }
  interface LocationSourceRegistry {
    readonly network: true
  }
}

interface SuspendedEvent extends WebhookEventOf<'verification.suspended'> {
  readonly suspended_until: string
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export const inBothEntries: Equal<WebhookEventType, part.WebhookEventType> = true
export const sameEvents: Equal<WebhookEvent, part.WebhookEvent> = true

export function exhaustive(event: WebhookEvent): string {
  switch (event.type) {
    case 'verification.approved':
    case 'verification.declined':
    case 'verification.in_review':
    case 'verification.abandoned':
    case 'verification.expired':
      return event.type
    case 'verification.suspended': {
      const suspended: SuspendedEvent = event
      return suspended.suspended_until
    }
    case 'verification.noted':
      return `${event.session_id} ${event.note}`
    default: {
      const rest: WebhookEventOf<Unlisted> = event
      return rest.type
    }
  }
}

export function incomplete(event: WebhookEvent): string {
  switch (event.type) {
    case 'verification.approved':
    case 'verification.declined':
    case 'verification.in_review':
    case 'verification.abandoned':
    case 'verification.expired':
    case 'verification.suspended':
      return event.type
    default: {
      // @ts-expect-error the added type `verification.noted` has no case
      const rest: WebhookEventOf<Unlisted> = event
      return rest.event_id
    }
  }
}

const on: WebhookCallbacks = {
  'verification.suspended': ({ suspended_until }) => suspended_until.slice(0, 10),
  'verification.noted': ({ note, event_id }) => [note, event_id],
}
createWebhookHandler({ secret: 'secret', on })
createWebhookHandler({
  secret: 'secret',
  // @ts-expect-error a misspelled type
  on: { 'verification.suspnded': () => undefined },
})

export const matches = (check: Check): boolean => check.type === 'iris' && check.data.match === true

// Each of these comparisons compiles only because the value was added.
export const added = (
  session: Session,
  check: CheckFor<'location' | 'age' | 'credential'>,
  member: AddedMember,
  skipped: SkippedMember,
): unknown[] => [
  session.status === 'SUSPENDED',
  check.status === 'skipped',
  check.type === 'location' && check.data.source === 'network',
  check.type === 'credential' && check.data.mode === 'account',
  check.type === 'age' && check.data.bands?.is_18_plus?.error === 'unsupported_band',
  member.status === 'paused' && member.role === 'auditor' && member.invite_method === 'sms',
  skipped.reason === 'blocked',
]

// What a result gives is accepted as a param, and so is what was added.
export const again = async (client: VerificationClient, org: OrgClient, oidc: OidcClient, member: Member) => [
  await client.sessions.list({ status: 'SUSPENDED' }),
  await org.members.add({ members: [{ email: 'ada@example.com', role: member.role }] }),
  await org.members.add({ members: [{ email: 'bob@example.com', role: 'auditor' }] }),
  await oidc.createAuthorization({ scope: ['openid', 'records'] }),
]

export function frozenUntil(error: unknown): string | undefined {
  return isErrorCode(error, 'wallet_frozen') ? error.details.until : undefined
}

export const isSame = (error: unknown, earlier: ApiError): boolean => isErrorCode(error, earlier.code)

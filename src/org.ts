/**
 * Keeps the roster of an organization, and reads its billing.
 *
 * @module identity-service-sdk/org
 */

export type {
  AddedMember,
  AddParams,
  AddResult,
  BillingSummary,
  InviteMethod,
  InviteResult,
  Invoice,
  KnownMemberStatus,
  Member,
  MemberList,
  MemberRole,
  MemberStatus,
  NewMember,
  Organization,
  RemoveParams,
  RemoveResult,
  ResolvedMember,
  ResolveParams,
  SkippedMember,
  Subscription,
} from './contract/roster.ts'
export type { AddAllOptions, AddAllProgress, AddedBatch } from './org/add-all.ts'
export type { Billing } from './org/billing.ts'
export type { BulkOptions } from './org/bulk.ts'
export { OrgClient, type OrgClientOptions } from './org/client.ts'
export type { InviteAllOptions, InviteOutcome } from './org/invite-all.ts'
export type { Members } from './org/members.ts'

/**
 * The client of the organization API: the roster of an organization and its billing.
 *
 * @module identity-service-sdk/org
 */

export type { BillingSummary, Invoice, Subscription } from './contract/organization/billing.ts'
export {
  type AddedMember,
  type AddResult,
  type InviteResult,
  type Member,
  type MemberAlreadyRemoved,
  type MemberDeactivated,
  type MemberFound,
  type MemberList,
  type MemberNotFound,
  type MemberRemoved,
  type MemberRole,
  type MemberStatus,
  memberStatuses,
  type Organization,
  type RemoveResult,
  type ResolvedMember,
  type SkippedMember,
} from './contract/organization/member-results.ts'
export type {
  AddParams,
  InviteMethod,
  MemberRef,
  NewMember,
  RemoveParams,
  ResolveParams,
} from './contract/organization/members.ts'
export { inviteMethods, memberRoles } from './contract/organization/roles.ts'
export type { Id, Unlisted } from './contract/schema/open-types.ts'
export type {
  AddAllAdded,
  AddAllFailed,
  AddAllItem,
  AddAllOptions,
  AddAllSummary,
} from './org/add-all.ts'
export type { AppliedChange, ApplyPlanOptions, ApplyPlanSummary } from './org/apply-plan.ts'
export type { Billing } from './org/billing.ts'
export type { BulkOptions } from './org/bulk.ts'
export { OrgClient, type OrgClientOptions, type OrgOptions } from './org/client.ts'
export type {
  InviteAllFailed,
  InviteAllInvited,
  InviteAllItem,
  InviteAllOptions,
  InviteAllSummary,
} from './org/invite-all.ts'
export type { Members } from './org/members.ts'
export type { RejectedFields } from './org/rejected-members.ts'
export type {
  PlanOptions,
  RosterAddition,
  RosterChange,
  RosterPlan,
  RosterPlanJson,
  RosterReactivation,
  RosterRemoval,
} from './org/roster-plan.ts'
export { type Bulk, type BulkFailure, type BulkSource, bulkOf } from './runtime/bulk.ts'

// Params and options take what results contain, without casts.
import {
  type AddAllItem,
  type Check,
  createVerificationManager,
  type Decision,
  describeErrorCode,
  findCheck,
  isErrorCode,
  isSdkError,
  type Member,
  memoryStore,
  type OidcClient,
  type OrgClient,
  type Session,
  scopes,
  type TokenSet,
  type VerificationClient,
  type VerificationManager,
  type Workflow,
} from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'

// The checks of a session are the checks that an approval must have.
export const managerOf = (client: VerificationClient, session: Session) =>
  createVerificationManager({ client, store: memoryStore(), session: {}, requires: session.features })
export const ensureAll = (verifications: VerificationManager, session: Session) =>
  verifications.ensureApproved('user-42', { checks: session.features })

// The type of one check finds the check of another decision. Its data is open, because the type may not be listed.
export const sameCheck = (check: Check, later: Decision): Check | undefined => findCheck(later, check.type)
export const statuses = (session: Session, decision: Decision): string[] =>
  session.features.map((feature) => findCheck(decision, feature)?.status ?? 'missing')

// A workflow of the service is one of the emulator, and the template of another.
export const emulatorOf = ({ id, name, features }: Workflow) => createEmulator({ workflows: [{ id, name, features }] })
export const copy = (client: VerificationClient, workflow: Workflow) =>
  client.experimental.workflows.create({ ...workflow, name: `${workflow.name} (copy)` })

export const alike = (client: VerificationClient, session: Session) =>
  client.sessions.list({ status: session.status, vendor_data: session.vendor_data ?? undefined })
export const again = (org: OrgClient, { email, role }: Member) => org.members.add({ members: [{ email, role }] })
export const sameScopes = (oidc: OidcClient, tokens: TokenSet) =>
  oidc.createAuthorization({ scope: scopes.filter((scope) => tokens.scope.split(' ').includes(scope)) })
export const reasonOf = (item: AddAllItem) =>
  item.outcome === 'failed' && isSdkError(item.error) ? describeErrorCode(item.error.code)?.meaning : undefined
export const isLike = (error: unknown, earlier: unknown) => isSdkError(earlier) && isErrorCode(error, earlier.code)

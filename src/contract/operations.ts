import type { commonCodes, idempotencyCodes } from './errors/codes.ts'
import type { BillingOperations } from './organization/billing.ts'
import type { MemberOperations } from './organization/members.ts'
import type { interfacePaths } from './service.ts'
import type { LegacyOperations } from './sign-in/legacy.ts'
import type { SignInOperations } from './sign-in/oidc.ts'
import type { CheckOperations } from './verification/checks.ts'
import type { CredentialOperations } from './verification/credentials.ts'
import type { ExperimentalOperations } from './verification/experimental.ts'
import type { SessionOperations } from './verification/sessions.ts'
import type { WorkflowOperations } from './verification/workflows.ts'

/** Every operation of the service, as a type. */
export interface Operations
  extends SessionOperations,
    CheckOperations,
    CredentialOperations,
    WorkflowOperations,
    ExperimentalOperations,
    LegacyOperations,
    SignInOperations,
    MemberOperations,
    BillingOperations {}

type Interfaces = typeof interfacePaths

type InterfaceOf<Route extends string> = {
  [Name in keyof Interfaces]: Route extends `${string} ${Interfaces[Name]}/${string}` ? Name : never
}[keyof Interfaces]

/** The codes that the contract names for an operation, for every operation of its interface, and for its key. */
export type DocumentedCode<Operation extends keyof Operations> = Operation extends unknown
  ?
      | Operations[Operation]['code']
      | (typeof commonCodes)[InterfaceOf<Operations[Operation]['route']>][number]
      | (Operations[Operation]['key'] extends 'with-key' ? (typeof idempotencyCodes)[number] : never)
  : never

import type { Workflow } from '../../contract/verification/workflows.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isLoopback, isWebhookAddress } from '../../runtime/loopback.ts'
import { type License, sampleLicenses } from '../checks/license-board.ts'
import type { CheckOutcomes } from '../checks/outcome.ts'
import type { RecordedRequest } from '../state/request-log.ts'
import type { OverrideRule } from '../state/sessions/sessions.ts'
import {
  type EmulatorMember,
  type EmulatorOrganizationOptions,
  type OrganizationSettings,
  readMembers,
  readOrganization,
} from './roster-options.ts'
import {
  type EmulatorOidcOptions,
  type EmulatorUser,
  readOidc,
  readUsers,
  type SignInSettings,
} from './sign-in-options.ts'

/** How events are signed and sent. */
export interface EmulatorWebhookOptions {
  /** Signs the deliveries. @default 'emulator_webhook_secret' */
  readonly secret?: string | undefined
  /**
   * What a session's `callback` may be, compared character by character. https, or http to a loopback host:
   * the service itself takes https only.
   *
   * @default every address on a loopback host, so that a receiver on a port of its choice works
   */
  readonly destinations?: readonly string[] | undefined
  /** Sends the deliveries. @default globalThis.fetch, looked up at each delivery */
  readonly deliver?: typeof globalThis.fetch | undefined
  /**
   * How long after each failure an event is sent again, in seconds by the emulator's clock; after the last, no more.
   * The contract does not show the service's schedule: this one is ours. Time passes by `clock.advance`, with each
   * request, and by itself while the emulator listens.
   *
   * @default [10, 60, 300]
   */
  readonly retryAfterSeconds?: readonly number[] | undefined
}

/** What billable calls are paid from. */
export interface EmulatorWalletOptions {
  /** What there is to spend. @default 100 (what a new developer account has) */
  readonly balance?: number | undefined
  /** Charged for each billable call; the contract shows no price. @default 0.01 */
  readonly pricePerCall?: number | undefined
}

/** Read once, by `createEmulator`. Every option has a default that works. */
export interface EmulatorOptions {
  /** The key that requests must carry. @default 'emulator_api_key' */
  readonly apiKey?: string | undefined
  /** How events are signed and sent. @default see each of its options */
  readonly webhooks?: EmulatorWebhookOptions | undefined
  /**
   * A session that names none gets the first: which fields are mandatory is not in the contract.
   *
   * @default `wf_identity` (ID, liveness, face match) and `wf_professional` (the same and a licence)
   */
  readonly workflows?: readonly Workflow[] | undefined
  /**
   * What the emulated boards know.
   *
   * @default three sample licences; `RN-482913` in `CA` is the one of the person on every ID, Alex Sample
   */
  readonly licenses?: readonly License[] | undefined
  /** What billable calls are paid from. @default see each of its options */
  readonly wallet?: EmulatorWalletOptions | undefined
  /** How checks end unless they are scripted. @default they pass; age, location and licences are judged */
  readonly outcomes?: CheckOutcomes | undefined
  /**
   * From which statuses `sessions.updateStatus` may decide, since the contract says both: from any open one,
   * or from IN_REVIEW alone, others being answered with 409 `review_not_pending`.
   *
   * @default 'any_open'
   */
  readonly overrides?: OverrideRule | undefined
  /** The application that signs people in. @default see each of its options */
  readonly oidc?: EmulatorOidcOptions | undefined
  /** Who can sign in. @default one sample person */
  readonly users?: readonly EmulatorUser[] | undefined
  /** The organization whose roster is kept, its credentials and its bill. @default see each of its options */
  readonly org?: EmulatorOrganizationOptions | undefined
  /** Who is on the roster. @default nobody */
  readonly members?: readonly EmulatorMember[] | undefined
  /** Called once a request is over: answered, or without `status` where the connection was reset or given up. */
  readonly onRequest?: ((request: RecordedRequest) => void) | undefined
  /**
   * The service's time.
   *
   * @default the system's
   */
  readonly clock?: (() => Date) | undefined
  /** The same seed gives the same ids in the same order. @default a new one for each emulator and each reset */
  readonly seed?: string | number | undefined
}

/** The options with every default filled in. */
export interface Settings {
  readonly apiKey: string
  readonly webhooks: {
    readonly secret: string
    readonly allows: (callback: string) => boolean
    readonly deliver: typeof globalThis.fetch
    readonly retryAfterSeconds: readonly number[]
  }
  readonly workflows: readonly Workflow[]
  readonly licenses: readonly License[]
  readonly wallet: { readonly balance: number; readonly pricePerCall: number }
  readonly outcomes: CheckOutcomes
  readonly overrides: OverrideRule
  readonly oidc: SignInSettings
  readonly users: readonly EmulatorUser[]
  readonly organization: OrganizationSettings
  readonly members: readonly EmulatorMember[]
  readonly onRequest: ((request: RecordedRequest) => void) | undefined
  readonly clock: () => Date
  readonly seed: string | undefined
}

const defaultWorkflows: readonly Workflow[] = [
  { id: 'wf_identity', name: 'Identity', features: ['id_verification', 'liveness', 'face_match'] },
  {
    id: 'wf_professional',
    name: 'Identity and licence',
    features: ['id_verification', 'liveness', 'face_match', 'credential'],
  },
]

export function readOptions(options: EmulatorOptions): Settings {
  const { webhooks = {}, wallet = {}, workflows = defaultWorkflows } = options
  if (new Set(workflows.map(({ id }) => id)).size < workflows.length)
    throw new ConfigurationError('workflows: each needs an id of its own')
  return {
    apiKey: text('apiKey', options.apiKey ?? 'emulator_api_key'),
    webhooks: {
      secret: text('webhooks.secret', webhooks.secret ?? 'emulator_webhook_secret'),
      allows: allowed(webhooks.destinations),
      deliver: webhooks.deliver ?? ((input, init) => globalThis.fetch(input, init)),
      retryAfterSeconds: (webhooks.retryAfterSeconds ?? [10, 60, 300]).map((seconds) =>
        amount('webhooks.retryAfterSeconds', seconds),
      ),
    },
    workflows,
    licenses: options.licenses ?? sampleLicenses,
    wallet: {
      balance: amount('wallet.balance', wallet.balance ?? 100),
      pricePerCall: amount('wallet.pricePerCall', wallet.pricePerCall ?? 0.01),
    },
    outcomes: options.outcomes ?? {},
    overrides: options.overrides ?? 'any_open',
    oidc: readOidc(options.oidc ?? {}),
    users: readUsers(options.users),
    organization: readOrganization(options.org ?? {}),
    members: readMembers(options.members ?? []),
    onRequest: options.onRequest,
    clock: options.clock ?? (() => new Date()),
    seed: options.seed === undefined ? undefined : String(options.seed),
  }
}

function text(name: string, value: string): string {
  if (value.trim() === '') throw new ConfigurationError(`${name} must not be blank`)
  return value
}

function amount(name: string, value: number): number {
  if (!Number.isFinite(value) || value < 0)
    throw new ConfigurationError(`${name} must be a number, 0 or more`)
  return value
}

function allowed(destinations: readonly string[] | undefined): (callback: string) => boolean {
  if (destinations === undefined)
    return (callback) => isWebhookAddress(callback) && isLoopback(new URL(callback).hostname)
  const foreign = destinations.find((destination) => !isWebhookAddress(destination))
  if (foreign !== undefined)
    throw new ConfigurationError(
      `webhooks.destinations: ${foreign} is neither https nor http to a loopback host`,
    )
  const exact = new Set(destinations)
  return (callback) => exact.has(callback)
}

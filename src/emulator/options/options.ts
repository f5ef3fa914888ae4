import type { Id, LiteralUnion } from '../../contract/schema/open-types.ts'
import type { CheckType } from '../../contract/verification/check-data.ts'
import { checkOptions, type OptionRules } from '../../errors/options.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isLoopback, isSecureUrl } from '../../runtime/secure-url.ts'
import { type License, sampleLicenses } from '../checks/license-board.ts'
import { type CheckOutcomes, outcomeProblem } from '../checks/outcome.ts'
import type { RecordedRequest } from '../state/request-log.ts'
import { type EmulatorReadings, type Readings, readReadings } from './readings.ts'
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
import { amount, nonBlankText } from './values.ts'

/** How webhooks are signed and delivered. */
export interface EmulatorWebhookOptions {
  /** Signing secret. @default 'emulator_webhook_secret' */
  readonly secret?: string | undefined
  /**
   * Allowed values of a session's `callback`, compared character by character. Each must be an https URL, or an http
   * URL with a loopback host or a local name such as `host.docker.internal`. (The service itself accepts https only.) Test events are sent to each of them.
   *
   * @default every URL with a loopback host, so that a receiver can use any port
   */
  readonly destinations?: readonly string[] | undefined
  /** Function that sends the deliveries. @default globalThis.fetch, looked up at each delivery */
  readonly deliver?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /**
   * Delays before the retries of a failed delivery, in seconds by the emulator's clock. After the last one there are
   * no more retries. The service does not document its schedule, so this one is the emulator's own. Due retries are
   * sent by `clock.advance`, at each request, and once a second while the emulator listens.
   *
   * @default [10, 60, 300]
   */
  readonly retryAfterSeconds?: readonly number[] | undefined
}

/** The wallet that billable calls are charged to. */
export interface EmulatorWalletOptions {
  /** Initial balance. @default 100 (the credit of a new developer account) */
  readonly balance?: number | undefined
  /** Amount charged for each billable call. The service documents no price. @default 0.01 */
  readonly pricePerCall?: number | undefined
}

/** A workflow of the project. */
export interface EmulatorWorkflow {
  /** The workflow's id. `sessions.create` takes it as `workflow_id`. */
  readonly id: Id<'workflow'>
  /** Display name. */
  readonly name: string
  /** The types of check that the workflow runs. */
  readonly features: readonly LiteralUnion<CheckType>[]
}

/** Options of `createEmulator`, which reads them once. Every option has a working default. */
export interface EmulatorOptions {
  /** API key that requests must send. @default 'emulator_api_key' */
  readonly apiKey?: string | undefined
  /** How webhooks are signed and delivered. @default see each of its options */
  readonly webhooks?: EmulatorWebhookOptions | undefined
  /**
   * Workflows of the project. A session without a `workflow_id` gets the first one, because the contract does not
   * document which fields are mandatory.
   *
   * @default `wf_identity` (ID, liveness, face match) and `wf_professional` (the same, plus credential)
   */
  readonly workflows?: readonly EmulatorWorkflow[] | undefined
  /**
   * Licenses of the emulated boards.
   *
   * @default three sample licenses. `RN-482913` in `CA` belongs to Alex Sample, the person on every ID
   */
  readonly licenses?: readonly License[] | undefined
  /** The wallet that billable calls are charged to. @default see each of its options */
  readonly wallet?: EmulatorWalletOptions | undefined
  /**
   * Outcomes of standalone checks that are not scripted.
   *
   * @default every check passes, except that age, location and licenses are evaluated
   */
  readonly outcomes?: CheckOutcomes | undefined
  /** Which reading of the contract to follow where the contract states two. @default see each of its options */
  readonly readings?: EmulatorReadings | undefined
  /** The application that signs people in. @default see each of its options */
  readonly oidc?: EmulatorOidcOptions | undefined
  /** Users who can sign in. @default one sample person */
  readonly users?: readonly EmulatorUser[] | undefined
  /** The organization, its credentials and its billing. @default see each of its options */
  readonly org?: EmulatorOrganizationOptions | undefined
  /** Members of the organization at the start. @default none */
  readonly members?: readonly EmulatorMember[] | undefined
  /** Called when a request has ended. `status` is missing if the connection was reset or the client aborted it. */
  readonly onRequest?: ((request: RecordedRequest) => void) | undefined
  /**
   * Current time of the service.
   *
   * @default the system clock
   */
  readonly clock?: (() => Date) | undefined
  /**
   * Seed of generated ids. The same seed gives the same ids in the same order.
   *
   * @default random, also after each reset
   */
  readonly seed?: string | number | undefined
}

/** The options with every default filled in. */
export interface EmulatorSettings {
  readonly apiKey: string
  readonly webhooks: {
    readonly secret: string
    readonly destinations: readonly string[]
    readonly allows: (callback: string) => boolean
    readonly deliver: (url: string, init: RequestInit) => Promise<Response>
    readonly retryAfterSeconds: readonly number[]
  }
  readonly workflows: readonly EmulatorWorkflow[]
  readonly licenses: readonly License[]
  readonly wallet: { readonly balance: number; readonly pricePerCall: number }
  readonly outcomes: CheckOutcomes
  readonly readings: Readings
  readonly oidc: SignInSettings
  readonly users: readonly EmulatorUser[]
  readonly organization: OrganizationSettings
  readonly members: readonly EmulatorMember[]
  readonly onRequest: ((request: RecordedRequest) => void) | undefined
  /** `undefined` stands for the system clock. */
  readonly clock: (() => Date) | undefined
  readonly seed: string | undefined
}

const defaultWorkflows: readonly EmulatorWorkflow[] = [
  { id: 'wf_identity', name: 'Identity', features: ['id_verification', 'liveness', 'face_match'] },
  {
    id: 'wf_professional',
    name: 'Identity and license',
    features: ['id_verification', 'liveness', 'face_match', 'credential'],
  },
]

const optionRules = {
  apiKey: true,
  webhooks: true,
  workflows: true,
  licenses: true,
  wallet: true,
  outcomes: true,
  readings: true,
  oidc: true,
  users: true,
  org: true,
  members: true,
  onRequest: true,
  clock: true,
  seed: true,
} satisfies OptionRules<EmulatorOptions>

const webhookNames = {
  secret: true,
  destinations: true,
  deliver: true,
  retryAfterSeconds: true,
} satisfies OptionRules<EmulatorWebhookOptions>

const walletNames = { balance: true, pricePerCall: true } satisfies OptionRules<EmulatorWalletOptions>

const workflowNames = { id: true, name: true, features: true } satisfies OptionRules<EmulatorWorkflow>

const licenseNames = {
  license_number: true,
  license_state: true,
  provider_code: true,
  license_type: true,
  holder: true,
  status: true,
  issued_at: true,
  expires_at: true,
  specialty: true,
} satisfies OptionRules<License>

export function readEmulatorOptions(options: EmulatorOptions): EmulatorSettings {
  checkOptions('createEmulator', options, optionRules)
  const { webhooks = {}, wallet = {}, workflows = defaultWorkflows, licenses = sampleLicenses } = options
  checkOptions('createEmulator: webhooks', webhooks, webhookNames)
  checkOptions('createEmulator: wallet', wallet, walletNames)
  for (const workflow of workflows) checkOptions('createEmulator: workflows', workflow, workflowNames)
  for (const license of licenses) checkOptions('createEmulator: licenses', license, licenseNames)
  if (new Set(workflows.map(({ id }) => id)).size < workflows.length)
    throw new ConfigurationError({ message: 'createEmulator: workflows: each must have a unique id' })
  return {
    apiKey: nonBlankText('apiKey', options.apiKey ?? 'emulator_api_key'),
    webhooks: {
      secret: nonBlankText('webhooks.secret', webhooks.secret ?? 'emulator_webhook_secret'),
      destinations: webhooks.destinations ?? [],
      allows: callbackRule(webhooks.destinations),
      deliver: webhooks.deliver ?? ((input, init) => globalThis.fetch(input, init)),
      retryAfterSeconds: (webhooks.retryAfterSeconds ?? [10, 60, 300]).map((seconds) =>
        amount('webhooks.retryAfterSeconds', seconds),
      ),
    },
    workflows,
    licenses,
    wallet: {
      balance: amount('wallet.balance', wallet.balance ?? 100),
      pricePerCall: amount('wallet.pricePerCall', wallet.pricePerCall ?? 0.01),
    },
    outcomes: readOutcomes(options.outcomes ?? {}),
    readings: readReadings(options.readings ?? {}),
    oidc: readOidc(options.oidc ?? {}),
    users: readUsers(options.users),
    organization: readOrganization(options.org ?? {}),
    members: readMembers(options.members ?? []),
    onRequest: options.onRequest,
    clock: options.clock,
    seed: options.seed === undefined ? undefined : String(options.seed),
  }
}

function readOutcomes(outcomes: CheckOutcomes): CheckOutcomes {
  const problem = outcomeProblem(outcomes)
  if (problem !== undefined) throw new ConfigurationError({ message: `createEmulator: outcomes: ${problem}` })
  return outcomes
}

/** Returns whether a webhook may be sent there: to an https URL, or to an http URL of this machine or its own network. */
function isWebhookAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return isSecureUrl(url) || (url.protocol === 'http:' && isLocalName(url.hostname))
}

/** Names that no public server has, such as `host.docker.internal` and the services of a Compose project. */
const isLocalName = (hostname: string) =>
  /^[a-z\d-]+$/.test(hostname) || /\.(?:internal|local|test|home\.arpa)$/.test(hostname)

function callbackRule(destinations: readonly string[] | undefined): (callback: string) => boolean {
  if (destinations === undefined)
    return (callback) => isWebhookAddress(callback) && isLoopback(new URL(callback).hostname)
  const invalid = destinations.find((destination) => !isWebhookAddress(destination))
  if (invalid !== undefined)
    throw new ConfigurationError({
      message: `createEmulator: webhooks.destinations: ${invalid} is neither an https URL nor an http URL with a loopback host or a local name`,
    })
  const exact = new Set(destinations)
  return (callback) => exact.has(callback)
}

import * as z from 'zod/mini'
import type { Id } from '../../../contract/schema/open-types.ts'
import type { CheckType } from '../../../contract/verification/check-data.ts'
import { ConfigurationError } from '../../../errors/sdk-error.ts'
import { checkNode } from '../../../options/rules.ts'
import { emulatorWebhookSecret } from '../../../runtime/environment.ts'
import { isLoopback, isSecureUrl } from '../../../runtime/secure-url.ts'
import { type License, sampleLicenses } from '../checks/license-board.ts'
import type { CheckOutcomes } from '../checks/outcome.ts'
import type { RecordedRequest } from '../request-log.ts'
import { callback, checkOutcomes, credential, listOf, readFields, unique, zeroOrMore } from './fields.ts'
import { type EmulatorReadings, readings } from './readings.ts'
import { type EmulatorMember, type EmulatorOrganizationOptions, members, organization } from './roster-options.ts'
import { type EmulatorOidcOptions, type EmulatorUser, oidc, users } from './sign-in-options.ts'

type Deliver = (url: string, init: RequestInit) => Promise<Response>

/** How webhooks are signed and delivered. */
export interface EmulatorWebhookOptions {
  /** Signing secret. @default 'emulator_webhook_secret' */
  readonly secret?: string | undefined
  /**
   * Allowed values of a session's `callback`, compared character by character. Each must be an https URL, or an http
   * URL with a loopback host or a local name such as `host.docker.internal`. (The service itself accepts https only.)
   * Test events are sent to each of them.
   *
   * @default every URL with a loopback host, so that a receiver can use any port
   */
  readonly destinations?: readonly string[] | undefined
  /** Function that sends the deliveries. @default globalThis.fetch, looked up at each delivery */
  readonly deliver?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /**
   * Delays before the retries of a failed delivery, in seconds by the emulator's clock. After the last one there are
   * no more retries. The schedule is the emulator's own. Due retries are sent by `clock.advance`, at each request, and
   * once a second while the emulator listens.
   *
   * @default [10, 60, 300]
   */
  readonly retryAfterSeconds?: readonly number[] | undefined
}

/** The wallet that billable calls are charged to. */
export interface EmulatorWalletOptions {
  /** Initial balance. @default 100 (the credit of a new developer account) */
  readonly balance?: number | undefined
  /** Amount charged for each billable call. @default 0.01 */
  readonly pricePerCall?: number | undefined
}

/** A workflow of the project. */
export interface EmulatorWorkflow {
  /** The workflow's id. `sessions.create` takes it as `workflow_id`. */
  readonly id: Id<'workflow'>
  /** Display name. */
  readonly name: string
  /** The types of check that the workflow runs. */
  readonly features: readonly (CheckType | (string & {}))[]
}

/** Options of `createEmulator`, which reads them once. Every option has a working default. */
export interface EmulatorOptions {
  /** API key that requests must send. @default 'emulator_api_key' */
  readonly apiKey?: string | undefined
  /** How webhooks are signed and delivered. @default see each of its options */
  readonly webhooks?: EmulatorWebhookOptions | undefined
  /**
   * Workflows of the project. A session without a `workflow_id` gets the first one.
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
   * Seed of generated ids. The same seed gives the same ids in the same order. A store that outlives the emulator then
   * takes events of the next one for duplicates.
   *
   * @default random, also after each reset
   */
  readonly seed?: string | number | undefined
}

const defaultWorkflows: readonly EmulatorWorkflow[] = [
  { id: 'wf_identity', name: 'Identity', features: ['id_verification', 'liveness', 'face_match'] },
  {
    id: 'wf_professional',
    name: 'Identity and license',
    features: ['id_verification', 'liveness', 'face_match', 'credential'],
  },
]

const workflow = z.strictObject({
  id: z.string(),
  name: z.string(),
  features: listOf(z.string()),
} satisfies Record<keyof EmulatorWorkflow, unknown>)

const license = z.strictObject({
  license_number: z.string(),
  license_state: z.string(),
  provider_code: z.string(),
  license_type: z.string(),
  holder: z.string(),
  status: z.optional(z.string()),
  issued_at: z.optional(z.string()),
  expires_at: z.optional(z.string()),
  specialty: z.optional(z.string()),
} satisfies Record<keyof License, unknown>)

const webhooks = z.strictObject({
  secret: z._default(credential, emulatorWebhookSecret),
  destinations: z.optional(
    listOf(
      z.string().check(
        z.refine(isWebhookAddress, {
          error: ({ input }) =>
            `must be an https URL, or an http URL with a loopback host or a local name, not ${input}`,
        }),
      ),
    ),
  ),
  deliver: z._default(callback<Deliver>(), (): Deliver => (input, init) => globalThis.fetch(input, init)),
  retryAfterSeconds: z._default(listOf(zeroOrMore), [10, 60, 300]),
} satisfies Record<keyof EmulatorWebhookOptions, unknown>)

const wallet = z.strictObject({
  balance: z._default(zeroOrMore, 100),
  pricePerCall: z._default(zeroOrMore, 0.01),
} satisfies Record<keyof EmulatorWalletOptions, unknown>)

const emulatorOptions = z.strictObject({
  apiKey: z._default(credential, 'emulator_api_key'),
  webhooks: z.prefault(webhooks, {}),
  workflows: z._default(
    listOf(workflow).check(unique(({ id }: EmulatorWorkflow) => id, 'must each have an id of their own')),
    defaultWorkflows,
  ),
  licenses: z._default(listOf(license), sampleLicenses),
  wallet: z.prefault(wallet, {}),
  outcomes: z._default(checkOutcomes, {}),
  readings: z.prefault(readings, {}),
  oidc: z.prefault(oidc, {}),
  users,
  org: z.prefault(organization, {}),
  members: z._default(members, []),
  onRequest: z.optional(callback<(request: RecordedRequest) => void>()),
  clock: z.optional(callback<() => Date>()),
  seed: z.optional(z.pipe(z.union([z.string(), z.number()]), z.transform(String))),
} satisfies Record<keyof EmulatorOptions, unknown>)

/** The options with every default filled in. */
export type EmulatorSettings = z.output<typeof emulatorOptions>

/** @throws {ConfigurationError} an option is unknown or wrong */
export function readEmulatorOptions(options: EmulatorOptions): EmulatorSettings {
  checkNode('createEmulator')
  const input: z.input<typeof emulatorOptions> = options
  return readFields(emulatorOptions, input, {
    name: 'the options',
    fail: (problem) => new ConfigurationError({ message: `createEmulator: ${problem}` }),
  })
}

/**
 * Returns whether a webhook may be sent there: to an https URL, or to an http URL of this machine or its own network.
 */
function isWebhookAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return isSecureUrl(url) || (url.protocol === 'http:' && isLocalName(url.hostname))
}

/** Names that no public server has, such as `host.docker.internal` and the services of a Compose project. */
const isLocalName = (hostname: string) =>
  /^[a-z\d-]+$/.test(hostname) || /\.(?:internal|local|test|home\.arpa)$/.test(hostname)

/** Returns whether a session may have this callback. */
export const allowsCallback = ({ destinations }: EmulatorWebhookOptions, address: string): boolean =>
  destinations?.includes(address) ?? (isWebhookAddress(address) && isLoopback(new URL(address).hostname))

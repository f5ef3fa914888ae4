import { checkOptions } from '../../errors/options.ts'
import { listedValue } from './values.ts'

/**
 * Which reading of the contract the emulator follows where the contract states two. To be sure that your code works
 * with the service, run its tests with both.
 */
export interface EmulatorReadings {
  /**
   * From which statuses `sessions.updateStatus` may decide (section 3.1): from any open status, or only from IN_REVIEW,
   * with 409 `review_not_pending` for the other open statuses.
   *
   * @default 'any_open'
   */
  readonly overrides?: 'any_open' | 'in_review_only' | undefined
  /**
   * Which sessions expire at the end of their `ttl_seconds` (section 3.1): those that the person has not finished, or
   * those of any status. With `any_status`, `sessions.complete` can also expire or abandon a session that has ended. A
   * decided session keeps its decision.
   *
   * @default 'unfinished'
   */
  readonly expiry?: 'unfinished' | 'any_status' | undefined
  /**
   * The response if a license does not exist (sections 2.3, 4.3, 4.4 and 7): `license_not_found` with this status, or a
   * failed check with `found: false`. With `by_endpoint`, a search returns `found: false`, and other lookups return 404
   * from `checks.credential` and 400 from `checks.kycCredential`.
   *
   * @default 'by_endpoint'
   */
  readonly licenseNotFound?: 'by_endpoint' | 400 | 404 | 'found_false' | undefined
  /**
   * Status of `invalid_grant` (section 7).
   *
   * @default 400
   */
  readonly invalidGrant?: 400 | 401 | undefined
  /**
   * Status for an inactive application, with `oidc.active: false` (sections 5 and 7): 403 `unauthorized_client`, or 401
   * `invalid_client`.
   *
   * @default 403
   */
  readonly inactiveApp?: 403 | 401 | undefined
  /**
   * Form of the token endpoint's errors (section 2.1): that of RFC 6749 without an envelope, as the tokens, or in the
   * envelope, as all other errors.
   *
   * @default 'bare'
   */
  readonly tokenErrors?: 'bare' | 'enveloped' | undefined
  /**
   * When `members.add` returns the link of a face invite (sections 2.9, 3.3 and 4.9): only with `notify: false`, or
   * always.
   *
   * @default 'unless_notified'
   */
  readonly activationLinks?: 'unless_notified' | 'always' | undefined
  /**
   * Scope of the limit of 10 invites per minute (section 8): each member, or the whole organization.
   *
   * @default 'per_member'
   */
  readonly inviteLimit?: 'per_member' | 'overall' | undefined
}

/** The readings with every default filled in. */
export type Readings = { readonly [Name in keyof EmulatorReadings]-?: NonNullable<EmulatorReadings[Name]> }

/** The values of each reading. The first one is the default. */
export const readingValues: {
  readonly [Name in keyof Readings]: readonly [byDefault: Readings[Name], ...others: Readings[Name][]]
} = {
  overrides: ['any_open', 'in_review_only'],
  expiry: ['unfinished', 'any_status'],
  licenseNotFound: ['by_endpoint', 400, 404, 'found_false'],
  invalidGrant: [400, 401],
  inactiveApp: [403, 401],
  tokenErrors: ['bare', 'enveloped'],
  activationLinks: ['unless_notified', 'always'],
  inviteLimit: ['per_member', 'overall'],
}

const names = Object.fromEntries(Object.keys(readingValues).map((name) => [name, true])) as Record<
  keyof Readings,
  true
>

export function readReadings(options: EmulatorReadings): Readings {
  checkOptions('createEmulator: readings', options, names)
  const given: Readonly<Record<string, unknown>> = { ...options }
  const read = Object.entries(readingValues).map(([name, values]) => [
    name,
    listedValue<unknown>(`readings.${name}`, given[name] ?? values[0], values),
  ])
  return Object.fromEntries(read) as Readings
}

import * as z from 'zod/mini'

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
  /**
   * What happens to a field of a request that the contract does not list. The contract does not say it. `'rejected'`
   * finds misspelled names in your tests. Use `'ignored'` if you send fields of a newer service.
   *
   * @default 'rejected'
   */
  readonly unlistedFields?: 'rejected' | 'ignored' | undefined
}

/** One of some values. The first one is the default. */
const oneOf = <const Values extends readonly [string | number, ...(string | number)[]]>(...values: Values) =>
  z._default(z.literal(values), values[0])

export const readings = z.strictObject({
  overrides: oneOf('any_open', 'in_review_only'),
  expiry: oneOf('unfinished', 'any_status'),
  licenseNotFound: oneOf('by_endpoint', 400, 404, 'found_false'),
  invalidGrant: oneOf(400, 401),
  inactiveApp: oneOf(403, 401),
  tokenErrors: oneOf('bare', 'enveloped'),
  activationLinks: oneOf('unless_notified', 'always'),
  inviteLimit: oneOf('per_member', 'overall'),
  unlistedFields: oneOf('rejected', 'ignored'),
} satisfies Record<keyof EmulatorReadings, unknown>)

/** The readings with every default filled in. */
export type Readings = z.output<typeof readings>

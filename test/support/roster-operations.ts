import type { ApiPromise, OrgClient, RequestOptions } from '../../src/index.ts'

/** Payloads as sections 2.9 and 2.10 show them. */
export const aMember = (over: object = {}) => ({
  id: 7,
  member_id: 'vmem_0123456789abcdef01234567',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  role: 'member',
  status: 'active',
  svc_id: 'svc_ada',
  active: true,
  created_at: '2026-01-01T09:30:00+02:00',
  ...over,
})

const anAdded = (over: object = {}) => ({
  ...aMember({ status: 'link_sent', svc_id: null, active: false }),
  activation_link: 'https://console.example.test/activate/abc',
  invite_method: 'face',
  ...over,
})

const aBill = (over: object = {}) => ({
  subscription: {
    plan: 'team',
    status: 'active',
    price_per_seat: 4.995,
    in_trial: false,
    trial_ends_at: null,
    current_period_end: '2026-02-01T00:00:00Z',
  },
  seats: 3,
  estimated_next_charge: 14.985,
  currency: 'EUR',
  balance: -0.005,
  invoices: [{ period: '2025-12', seats: 2, amount: 9.99, created_at: '2026-01-01T00:00:00Z' }],
  ...over,
})

/** As sections 4.9, 5 and 7 of the contract list them. */
type DocumentedError = readonly [status: number, code: string]

/** One method of the client and what the contract says about it, written by hand. */
export interface RosterOperation {
  readonly name: string
  /** The section of the contract. */
  readonly section: string
  readonly call: (org: OrgClient, options?: RequestOptions) => ApiPromise<unknown>
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path below the base URL. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly json?: object
  readonly status: number
  /** `data` of the documented response. */
  readonly data: unknown
  /** What the method returns, if it is not `data` itself. */
  readonly result?: unknown
  /** True if a second execution changes nothing. */
  readonly isSafe: boolean
  readonly errors: readonly DocumentedError[]
}

/** Sections 5 and 7: any operation may return them. */
const core: readonly DocumentedError[] = [
  [400, 'invalid_request'],
  [401, 'invalid_client'],
  [403, 'unauthorized_client'],
  [429, 'rate_limited'],
  [500, 'internal_error'],
]

const one = { path: 'ada%40example.com', id: 'ada@example.com' }

const invited = {
  member: aMember({ status: 'link_sent', active: false, svc_id: null }),
  activation_link: 'https://console.example.test/activate/new',
}

export const rosterOperations: readonly RosterOperation[] = [
  {
    name: 'members.list',
    section: '4.9',
    call: (org, options) => org.members.list({}, options),
    method: 'GET',
    path: '/api/sdk/members',
    status: 200,
    data: { members: [aMember(), aMember({ id: 8 })], organization: { id: 3, name: 'Analytical Engines' } },
    isSafe: true,
    errors: core,
  },
  {
    name: 'members.resolve',
    section: '4.9',
    call: (org, options) => org.members.resolve({ email: 'ada@example.com' }, options),
    method: 'POST',
    path: '/api/sdk/members/resolve',
    json: { email: 'ada@example.com' },
    status: 200,
    data: { found: true, member: aMember({ role: 'owner' }) },
    isSafe: true,
    errors: [...core, [400, 'missing_identifier']],
  },
  {
    name: 'members.add',
    section: '4.9',
    call: (org, options) =>
      org.members.add(
        {
          members: [
            { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', role: 'admin' },
            { email: 'bob@example.com' },
          ],
          notify: false,
          invite: 'face',
        },
        options,
      ),
    method: 'POST',
    path: '/api/sdk/members',
    json: {
      members: [
        { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', role: 'admin' },
        { email: 'bob@example.com' },
      ],
      notify: false,
      invite: 'face',
    },
    status: 201,
    data: {
      created: [anAdded(), anAdded({ id: 9, activation_link: null, reactivated: true })],
      skipped: [{ email: 'bob@example.com', reason: 'duplicate' }],
      notified: false,
    },
    isSafe: false,
    errors: core,
  },
  {
    name: 'members.deactivate',
    section: '4.9',
    call: (org, options) => org.members.deactivate(one.id, options),
    method: 'PATCH',
    path: `/api/sdk/members/${one.path}/deactivate`,
    status: 200,
    data: { member: aMember({ status: 'deactivated', active: false }) },
    result: aMember({ status: 'deactivated', active: false }),
    isSafe: false,
    errors: [...core, [404, 'not_found']],
  },
  {
    name: 'members.reactivate',
    section: '4.9',
    call: (org, options) => org.members.reactivate(one.id, options),
    method: 'PATCH',
    path: `/api/sdk/members/${one.path}/reactivate`,
    status: 200,
    data: { member: aMember() },
    result: aMember(),
    isSafe: false,
    errors: [...core, [404, 'not_found']],
  },
  {
    name: 'members.remove',
    section: '4.9',
    call: (org, options) => org.members.remove(one.id, { permanent: true }, options),
    method: 'DELETE',
    path: `/api/sdk/members/${one.path}`,
    query: { permanent: 'true' },
    status: 200,
    data: { member: null, removed: true },
    result: { found: true, member: null, removed: true },
    isSafe: true,
    errors: core,
  },
  {
    name: 'members.invite',
    section: '4.9',
    call: (org, options) => org.members.invite(one.id, options),
    method: 'POST',
    path: `/api/sdk/members/${one.path}/invite`,
    status: 200,
    data: invited,
    isSafe: false,
    errors: [...core, [404, 'not_found'], [409, 'already_active'], [409, 'deactivated']],
  },
  {
    name: 'billing.retrieve',
    section: '4.9',
    call: (org, options) => org.billing.retrieve(options),
    method: 'GET',
    path: '/api/sdk/billing',
    status: 200,
    data: aBill(),
    isSafe: true,
    errors: core,
  },
]

export const resultOf = ({ data, result }: RosterOperation): unknown => result ?? data

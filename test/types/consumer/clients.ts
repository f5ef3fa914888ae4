import {
  type ApiPromise,
  assertPassed,
  type Check,
  type ClientOptions,
  credentialParams,
  missingFields,
  OidcClient,
  OrgClient,
  parseReturnUrl,
  pickProvider,
  type RequestEvent,
  type Session,
  type StandaloneResult,
  VerificationClient,
} from 'identity-service-sdk'
import { OrgClient as SameOrgClient } from 'identity-service-sdk/org'
import type { SessionCreateParams } from 'identity-service-sdk/verification'

const shared: ClientOptions = {
  baseUrl: new URL('https://id.example.com'),
  timeoutMs: 10_000,
  headers: { 'x-team': 'onboarding' },
  logger: console,
  onEvent: (event: RequestEvent) => {
    if (event.type === 'response') console.debug(event.operation, event.status, event.durationMs)
  },
  fetch: globalThis.fetch,
  responseValidation: 'strict',
}

export const client = new VerificationClient({
  ...shared,
  apiKey: async () => 'key',
  spendLimit: { calls: 10, perMs: 1000 },
})
export const withoutOptions = [new VerificationClient(), new OrgClient(), new OidcClient()]
export const org: OrgClient = new SameOrgClient({ ...shared, clientId: 'id', clientSecret: 'secret' })

export async function verify(reference: string | undefined, signal: AbortSignal): Promise<string> {
  const params: SessionCreateParams = { workflow_id: 'wf_1', vendor_data: reference, metadata: { plan: 1 } }
  const call: ApiPromise<Session> = client.sessions.create(params, { signal, maxRetries: 0 })
  const { data, response } = await call.withResponse()
  console.log(response.requestId?.length, response.headers.get('date'), data.vendor_data)
  const { decision } = await client.sessions.waitForDecision(data.session_id, { until: 'IN_REVIEW' })
  const outcome: 'APPROVED' | 'DECLINED' | null = decision
  const hint = parseReturnUrl('https://app.example.com/?session_id=1').statusHint
  return `${outcome} ${hint}`
}

export async function check(): Promise<number | null | undefined> {
  const result: StandaloneResult<'age'> = await client.checks.age({
    dob: '2000-01-01',
    bands: [18, '21+', 'is_30_plus'],
  })
  assertPassed(result)
  const [provider] = await client.credentials.listProviders('CA')
  if (provider) {
    const collected = { license_no: '1' }
    console.log(missingFields(provider, collected), pickProvider([provider], provider.credential_code))
    await client.checks.credential({ ...credentialParams(provider, collected), full_name: 'Alex Sample' })
  }
  await client.checks.credential({ license_state: 'CA', license_number: '1', license_type: 'RN' })
  // @ts-expect-error: a band is a string or a number
  await client.checks.age({ dob: '2000-01-01', bands: [true] })
  // @ts-expect-error: the state of the licence is required
  await client.checks.credential({ license_number: '1', license_type: 'RN' })
  return result.check.data.age
}

export function summary(one: Check): string | number | boolean | null | undefined {
  switch (one.type) {
    case 'id_verification':
      return one.data.fields?.full_name
    case 'liveness':
      return one.data.live_score?.toFixed()
    case 'face_match':
      return one.data.similarity
    case 'age':
      return one.data.bands?.is_18_plus?.verified
    case 'credential':
      return one.data.license?.status
    case 'location':
      return one.data.match
    default:
      return typeof one.data.anything === 'string' ? one.data.anything : null
  }
}

export async function roster(): Promise<number> {
  const { members, organization } = await org.members.list()
  const people = members.map(({ email }) => ({ email }))
  for await (const { created, error } of org.members.addAll(people, { notify: false, invite: 'face' }))
    console.log(created[0]?.activation_link?.length, error?.message, organization.name)
  const { subscription } = await org.billing.retrieve()
  const raw = await org.request<{ readonly seats: number }>({ method: 'GET', path: '/billing' })
  return subscription?.price_per_seat ?? raw.seats
}

import { createEmulator, type Emulator } from '../../src/emulator.ts'
import { asToken, inHeader, inPath, inQuery, oneWord } from './fit-to-field.ts'

/** Gives the text of a field. @param carried makes any text one that the field can carry */
export type Say = (field: string, carried?: (text: string) => string) => string

/** An emulator that listens, with a record of each kind, and the addresses of its pages. */
export interface World {
  readonly emulator: Emulator
  readonly url: string
  readonly sessions: Readonly<
    Record<'open' | 'worked' | 'review' | 'approved' | 'declined' | 'abandoned' | 'expired', Hosted>
  >
  /** Where an application sends people to sign in. */
  readonly authorization: (over?: Readonly<Record<string, string>>) => string
  /** Of an invitation that waits, of one that a later link replaced. */
  readonly links: { readonly open: string; readonly over: string }
  close(): Promise<void>
}

interface Hosted {
  readonly session_id: string
  readonly url: string
}

const begin = Date.parse('2026-03-01T12:00:00.000Z')

const features = ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'] as const

/** Two worlds are made of the same records in the same order: only the texts differ, and what follows from them. */
export async function createWorld(say: Say): Promise<World> {
  const callback = `https://hooks.example/in?${say('callback')}`
  const redirectUri = `http://127.0.0.1/callback?${say('redirecturi', inQuery)}`
  const [clientId, scope] = [say('clientid', inQuery), say('scope', oneWord)]
  const license = {
    license_number: say('licensenumber'),
    license_state: 'CA',
    provider_code: say('providercode'),
    license_type: say('licensetype'),
    holder: say('holder'),
    status: say('licensestatus'),
    issued_at: say('issued'),
    expires_at: say('expires'),
    specialty: say('specialty'),
  }
  const emailOf = (i: number) => `${say(`email${'abcde'[i]}`, oneWord)}${i}@example.com`
  const emulator = createEmulator({
    seed: 'world',
    clock: () => new Date(begin),
    workflows: [
      { id: say('workflowid'), name: say('workflowname'), features: [...features, say('feature')] },
    ],
    licenses: [license],
    oidc: { clientId, scopes: ['openid', scope], redirectUris: [redirectUri] },
    users: [
      {
        sub: say('sub'),
        name: say('username'),
        email: say('useremail'),
        claims: { [say('claim')]: say('claimvalue') },
      },
      { sub: `${say('othersub')}2`, email: say('otheremail') },
      { sub: `${say('thirdsub')}3` },
    ],
    org: { name: say('organization'), billing: { plan: say('plan'), currency: say('currency') } },
    members: (['active', 'invited', 'link_sent', 'link_sent', 'deactivated'] as const).map((status, i) => ({
      status,
      email: emailOf(i),
      first_name: say('firstname'),
      last_name: say('lastname'),
      role: say('role') as 'member',
      ...(status === 'active' ? { svc_id: say('svcid') } : {}),
    })),
    webhooks: { destinations: [callback], deliver: receiver(say), retryAfterSeconds: [10] },
  })
  const server = await emulator.listen()

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    emulator.fetch(
      new Request(server.url + path, {
        method: 'POST',
        headers: { 'x-api-key': 'emulator_api_key', 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
  const session = async (more: object = {}): Promise<Hosted> => {
    const response = await post('/api/v2/session', {
      redirect_url: `https://app.example/back?${say('redirecturl')}`,
      callback,
      vendor_data: say('vendordata'),
      metadata: { [say('metadataname')]: say('metadata') },
      ...more,
    })
    const { data } = (await response.json()) as { data: Hosted }
    return data
  }
  const checks = {
    id_verification: {
      status: 'review' as const,
      data: { fields: { full_name: say('fullname') }, portrait: say('portrait') },
    },
    liveness: { data: { result: say('result') }, error: say('checkerror') },
  }

  const sessions = {
    expired: await session({ ttl_seconds: 1 }),
    open: await session(),
    worked: await session(),
    review: await session(),
    approved: await session(),
    declined: await session(),
    abandoned: await session(),
  }
  await emulator.clock.advance(2000)
  emulator.sessions.start(sessions.worked.session_id, {
    checks: Object.fromEntries(features.map((type) => [type, checks[type as 'liveness'] ?? 'passed'])),
  })
  await emulator.sessions.complete(sessions.review.session_id, 'IN_REVIEW', { checks })
  await emulator.sessions.complete(sessions.approved.session_id, 'APPROVED', { checks })
  await emulator.sessions.complete(sessions.declined.session_id, 'DECLINED', { checks })
  await emulator.sessions.complete(sessions.abandoned.session_id, 'ABANDONED')

  const key = { 'idempotency-key': say('key', inHeader) }
  const { license_number, license_type, license_state, provider_code } = license
  const licence = { license_number, license_type, license_state, provider_code }
  await post('/api/v2/credential-verification', { ...licence, full_name: license.holder }, key)
  await post('/api/v2/credential-verification', licence)
  emulator.checks.script('liveness', { status: 'failed', ...checks.liveness }, { times: 1 })
  await post('/api/v2/liveness', { image: 'aGVsbG8=' })
  await post('/api/v2/age-verification', { dob: '1990-04-12', bands: [say('band')] })

  const authorization = (over: Readonly<Record<string, string>> = {}) => {
    const query = {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: `openid ${scope}`,
    }
    return `${server.url}/api/auth/oidc/authorize?${new URLSearchParams({ ...query, state: say('state', inQuery), ...over })}`
  }
  const linkOf = (i: number) => String(emulator.members.activationLink(emailOf(i)))
  const over = linkOf(3)
  await post(`/api/sdk/members/${encodeURIComponent(emailOf(3))}/invite`, undefined, {
    'x-client-id': 'emulator_client_id',
    'x-client-secret': 'emulator_client_secret',
  })
  const code = new URL(emulator.signIn.approve(authorization())).searchParams.get('code')
  await post('/api/auth/oidc/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: 'emulator_client_secret',
    code,
    redirect_uri: redirectUri,
  })

  emulator.faults.add({
    match: { path: `/api/v2/session/${say('faultpath', (text) => inPath(text).replaceAll('/', ''))}` },
    status: 418,
    code: say('faultcode'),
    headers: { 'x-told': say('faultheader', inHeader) },
  })
  await emulator.fetch(
    new Request(`${server.url}/${say('path', inPath)}?${say('query')}`, {
      method: say('method', asToken),
      headers: { ...key, 'x-told': say('header', inHeader) },
    }),
  )
  return {
    emulator,
    url: server.url,
    sessions,
    authorization,
    links: { open: linkOf(2), over },
    close: () => server.close(),
  }
}

/** Takes the first event and says something; the second it refuses, and with the third the connection breaks. */
function receiver(say: Say): typeof globalThis.fetch {
  let received = 0
  return async () => {
    received += 1
    if (received % 3 === 0) throw new Error(say('receivererror'), { cause: new Error(say('receivercause')) })
    return new Response(say('answer'), { status: received % 3 === 1 ? 200 : 500 })
  }
}

// Names of fields: cspell:ignore checkerror claimvalue clientid faultcode faultheader faultpath firstname
// cspell:ignore lastname licensenumber licensestatus licensetype otheremail othersub providercode
// cspell:ignore receivercause receivererror receiverresponse svcid thirdsub useremail vendordata workflowid
// cspell:ignore workflowname

import { createEmulator, type Emulator } from '../../src/emulator.ts'
import { asToken, inHeader, inLine, inName, inPath, inQuery, inRedirectUri, oneWord } from './hostile-texts.ts'

/** Returns the text of a field. @param adapt reduces any text to what the field can contain */
export type FieldText = (field: string, adapt?: (text: string) => string) => string

/** A listening emulator with a record of each kind, and the addresses of its pages. */
export interface World {
  readonly emulator: Emulator
  readonly url: string
  readonly sessions: Readonly<
    Record<'open' | 'worked' | 'review' | 'approved' | 'declined' | 'abandoned' | 'expired', Hosted>
  >
  /** Returns the address that an application sends people to for sign-in. */
  readonly authorization: (over?: Readonly<Record<string, string>>) => string
  readonly activationLink: string
  close(): Promise<void>
}

interface Hosted {
  readonly session_id: string
  readonly url: string
}

const begin = Date.parse('2026-03-01T12:00:00.000Z')

const features = ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'] as const

/** Creates a world. All worlds have the same records in the same order, so that only the texts differ. */
export async function createWorld(textOf: FieldText): Promise<World> {
  const callback = `https://hooks.example/in?${textOf('callback')}`
  const redirectUri = `http://127.0.0.1/callback?${textOf('redirecturi', inRedirectUri)}`
  const [clientId, scope] = [textOf('clientid', inLine), textOf('scope', oneWord)]
  const license = {
    license_number: textOf('licensenumber'),
    license_state: 'CA',
    provider_code: textOf('providercode'),
    license_type: textOf('licensetype'),
    holder: textOf('holder'),
    status: textOf('licensestatus'),
    issued_at: textOf('issued'),
    expires_at: textOf('expires'),
    specialty: textOf('specialty'),
  }
  const emailOf = (i: number) => `${textOf(`email${'abcde'[i]}`, oneWord)}${i}@example.com`
  const emulator = createEmulator({
    seed: 'world',
    clock: () => new Date(begin),
    workflows: [
      {
        id: textOf('workflowid'),
        name: textOf('workflowname'),
        features: [...features, textOf('feature') as never],
      },
    ],
    licenses: [license],
    oidc: { clientId, scopes: ['openid', scope], redirectUris: [redirectUri] },
    users: [
      {
        sub: textOf('sub'),
        name: textOf('username'),
        email: textOf('useremail'),
        claims: { [textOf('claim')]: textOf('claimvalue') },
      },
      { sub: `${textOf('othersub')}2`, email: textOf('otheremail') },
      { sub: `${textOf('thirdsub')}3` },
    ],
    org: { name: textOf('organization'), billing: { plan: textOf('plan'), currency: textOf('currency') } },
    members: (['active', 'invited', 'link_sent', 'link_sent', 'deactivated'] as const).map((status, i) => ({
      status,
      email: emailOf(i),
      first_name: textOf('firstname'),
      last_name: textOf('lastname'),
      role: textOf('role') as 'member',
      ...(status === 'active' ? { svc_id: textOf('svcid') } : {}),
    })),
    webhooks: { destinations: [callback], deliver: receiver(textOf), retryAfterSeconds: [10] },
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
      redirect_url: `https://app.example/back?${textOf('redirecturl')}`,
      callback,
      vendor_data: textOf('vendordata'),
      metadata: { [textOf('metadataname', inName)]: textOf('metadata') },
      ...more,
    })
    const { data } = (await response.json()) as { data: Hosted }
    return data
  }
  const checks = {
    id_verification: {
      status: 'review' as const,
      data: { fields: { full_name: textOf('fullname') }, portrait: textOf('portrait') },
    },
    liveness: { data: { result: textOf('result') }, error: textOf('checkerror') },
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

  const key = { 'idempotency-key': textOf('key', inHeader) }
  const { license_number, license_type, license_state, provider_code } = license
  const asked = { license_number, license_type, license_state, provider_code }
  await post('/api/v2/credential-verification', { ...asked, full_name: license.holder }, key)
  await post('/api/v2/credential-verification', asked)
  emulator.checks.script('liveness', { status: 'failed', ...checks.liveness }, { times: 1 })
  await post('/api/v2/liveness', { image: 'aGVsbG8=' })
  await post('/api/v2/age-verification', { dob: '1990-04-12', bands: [textOf('band', inName)] })

  emulator.checks.script('face_match', { status: 'review', error: textOf('checkerror') }, { times: 2 })

  const authorization = (over: Readonly<Record<string, string>> = {}) => {
    const query = {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: `openid ${scope}`,
    }
    return `${server.url}/api/auth/oidc/authorize?${new URLSearchParams({ ...query, state: textOf('state', inQuery), ...over })}`
  }
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
    match: { path: `/api/v2/session/${textOf('faultpath', (text) => inPath(text).replaceAll('/', ''))}` },
    status: 418,
    code: { unlisted: textOf('faultcode') },
    headers: { 'x-extra': textOf('faultheader', inHeader) },
  })
  await emulator.fetch(
    new Request(`${server.url}/${textOf('path', inPath)}`, {
      method: textOf('method', asToken),
      headers: key,
    }),
  )
  await emulator.fetch(
    new Request(`${server.url}/s/unknown?${new URLSearchParams({ query: textOf('query') })}`, {
      headers: { 'x-extra': textOf('header', inHeader) },
    }),
  )
  return {
    emulator,
    url: server.url,
    sessions,
    authorization,
    activationLink: String(emulator.members.activationLink(emailOf(2))),
    close: () => server.close(),
  }
}

/** Accepts the first event with a response text, rejects the second, and fails to connect for the third. */
function receiver(textOf: FieldText): typeof globalThis.fetch {
  let received = 0
  return async () => {
    received += 1
    if (received % 3 === 0) throw new Error(textOf('receivererror'), { cause: new Error(textOf('receivercause')) })
    return new Response(textOf('receiverresponse'), { status: received % 3 === 1 ? 200 : 500 })
  }
}

import fc from 'fast-check'
import { checkTypes } from '../../../../src/contract/verification/check-data.ts'
import type { EmulatorOptions } from '../../../../src/emulator.ts'
import { nurse } from '../../support/checks.ts'
import { images } from '../../support/images.ts'
import { application, inProcess, redirectUri } from '../../support/service.ts'
import { callback } from '../../support/webhook-receivers.ts'

/** A receiver that rejects some events at every attempt, and the same ones in every emulator. */
const deliver: typeof globalThis.fetch = async (_, init) => {
  const { event_id } = JSON.parse(String(init?.body))
  return new Response(null, { status: /[0-7]$/.test(event_id) ? 503 : 200 })
}

/** What a client knows of an emulator: values that it received. */
export interface Known {
  readonly sessions: string[]
  readonly pages: string[]
  readonly codes: string[]
  readonly refreshTokens: string[]
  readonly links: string[]
  readonly workflows: string[]
}

export const nothingKnown = (): Known => structuredClone(unknown)
const unknown: Known = { sessions: [], pages: [], codes: [], refreshTokens: [], links: [], workflows: [] }

/** An emulator with clients that act on it. */
export function actor(options: EmulatorOptions, known: Known) {
  const service = inProcess({ ...options, webhooks: { deliver }, seed: options.seed })
  return { ...service, known }
}

type Actor = ReturnType<typeof actor>

const nth = (values: readonly string[], index: number) => values[index % values.length] ?? 'none'

const authorization = new URLSearchParams({
  client_id: application.client_id,
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid',
  state: 'state_1',
  nonce: 'nonce_1',
})

const emails = ['ada@example.com', 'bo@example.com', 'alex@example.com'] as const
const ends = ['APPROVED', 'DECLINED', 'IN_REVIEW', 'ABANDONED', 'EXPIRED'] as const
const kinds = ['duplicate', 'late', 'bad_signature', 'out_of_order', 'lost'] as const
const checks: readonly [path: string, body: object][] = [
  ['liveness', images(['image'], 'AAAA')],
  ['face-match', images(['image1', 'image2'], 'AAAA')],
  ['credential-verification', { ...nurse, full_name: 'Alex Sample' }],
]

const email = fc.constantFrom(...emails)
const index = fc.nat(3)
const times = fc.constantFrom(1, 2, Number.POSITIVE_INFINITY)

/** One thing that an app, a person or a test does. Returns what it sees. */
type Act = (to: Actor) => unknown

const act = <Params extends object>(
  params: { [Name in keyof Params]: fc.Arbitrary<Params[Name]> },
  run: (to: Actor, params: Params) => unknown,
  name: string,
): fc.Arbitrary<Act> =>
  fc.record(params).map((drawn) =>
    Object.assign((to: Actor) => run(to, drawn as Params), {
      toString: () => `${name} ${JSON.stringify(drawn)}`,
    }),
  )

const token = async ({ raw, known }: Actor, json: object) => {
  const { status, text } = await raw('POST', '/api/auth/oidc/token', { json: { ...application, ...json } })
  const body = JSON.parse(text)
  if (body.refresh_token !== undefined) known.refreshTokens.push(body.refresh_token)
  return { status, body }
}

const key = fc.constantFrom(undefined, 'key-1', 'key-2')

export const anyAct: fc.Arbitrary<Act> = fc.oneof(
  act(
    {
      fields: fc.constantFrom(
        {},
        { callback },
        { ttl_seconds: 60 },
        { vendor_data: 'emu:review', callback },
        { metadata: { $date: 'x', a: [1] } },
      ),
      key,
    },
    async ({ post, known }, { fields, key }) => {
      const made = await post<{ session_id: string; url: string }>('/api/v2/session', fields, { key })
      if (made.status === 200) known.sessions.push(made.data.session_id)
      if (made.status === 200) known.pages.push(made.data.url)
      return made
    },
    'create',
  ),
  act(
    { index, end: fc.constantFrom(...ends) },
    ({ emulator, known }, { index, end }) => emulator.sessions.complete(nth(known.sessions, index), end),
    'complete',
  ),
  act(
    { index },
    ({ emulator, known }, { index }) =>
      emulator.sessions.start(nth(known.sessions, index), { checks: { face_match: 'review' } }),
    'start',
  ),
  act(
    { index },
    async ({ raw, known }, { index }) => {
      const page = new URL(nth(known.pages, index), 'https://identity.example').pathname
      return raw('POST', `${page}?step=1`, {
        body: new URLSearchParams({ choice: 'continue', id_verification: 'passed' }),
      })
    },
    'select',
  ),
  act({ index }, ({ decide, known }, { index }) => decide(nth(known.sessions, index), 'DECLINED'), 'override'),
  act(
    { index },
    ({ get, known }, { index }) => get(`/api/v2/session/${nth(known.sessions, index)}/decision`),
    'decision',
  ),
  act({}, ({ get }) => get('/api/v2/session'), 'list sessions'),
  act(
    { check: fc.constantFrom(...checks), key },
    ({ post }, { check: [path, body], key }) => post(`/api/v2/${path}`, body, { key }),
    'check',
  ),
  act(
    { type: fc.constantFrom(...checkTypes), status: fc.constantFrom('failed', 'review'), times },
    ({ emulator }, { type, status, times }) =>
      emulator.checks.script(
        type,
        { status: status as 'failed', data: { x: undefined, y: times } as object },
        { times },
      ),
    'script',
  ),
  act(
    { times },
    ({ emulator }, { times }) => emulator.faults.add({ match: 'checks.liveness', status: 503, when: 'after', times }),
    'fault',
  ),
  act(
    { kind: fc.constantFrom(...kinds), times },
    ({ emulator }, fault) => emulator.webhooks.faults.add(fault),
    'delivery fault',
  ),
  act(
    { ms: fc.constantFrom(0, 10_000, 61_000, 3_600_000) },
    ({ emulator }, { ms }) => emulator.clock.advance(ms),
    'advance',
  ),
  act(
    {},
    ({ emulator }) =>
      Promise.all(emulator.webhooks.deliveries.slice(0, 2).map(({ id }) => emulator.webhooks.resend(id))),
    'resend',
  ),
  act(
    { email },
    async ({ post, known }, { email }) => {
      const added = await post<{ created: { activation_link: string | null }[] }>('/api/sdk/members', {
        members: [{ email }],
        notify: false,
        invite: 'face',
      })
      for (const { activation_link } of added.data.created) if (activation_link) known.links.push(activation_link)
      return added
    },
    'add member',
  ),
  act(
    { email, action: fc.constantFrom('invite', 'deactivate', 'reactivate') },
    ({ post }, { email, action }) => post(`/api/sdk/members/${email}/${action}`, {}),
    'member',
  ),
  act(
    { email, permanent: fc.boolean() },
    ({ call }, { email, permanent }) =>
      call('DELETE', `/api/sdk/members/${email}${permanent ? '?permanent=true' : ''}`),
    'remove member',
  ),
  act({ index }, ({ emulator, known }, { index }) => emulator.members.activate(nth(known.links, index)), 'activate'),
  act(
    { index },
    ({ raw, known }, { index }) => raw('GET', new URL(nth(known.links, index), 'https://identity.example').pathname),
    'open link',
  ),
  act({ email }, ({ emulator }, { email }) => emulator.members.removeIdentity(email), 'remove identity'),
  act({}, ({ get }) => get('/api/sdk/members'), 'list members'),
  act({}, ({ get }) => get('/api/sdk/billing'), 'billing'),
  act({}, ({ post }) => post('/api/v2/face-uniqueness', images(['image'], 'AAAA')), 'enroll face'),
  act(
    {},
    async (to) =>
      to.call(
        'DELETE',
        `/api/v2/face-uniqueness/${Object((await to.post('/api/v2/antispoof/identity', images(['image'], 'AAAA'))).data).uuid}`,
      ),
    'delete face',
  ),
  act(
    {},
    ({ emulator, known }) => {
      const url = emulator.signIn.approve(`https://identity.example/api/auth/oidc/authorize?${authorization}`)
      known.codes.push(new URL(url).searchParams.get('code') ?? '')
      return url
    },
    'approve',
  ),
  act(
    { index },
    (to, { index }) =>
      token(to, {
        grant_type: 'authorization_code',
        code: nth(to.known.codes, index),
        redirect_uri: redirectUri,
      }),
    'exchange',
  ),
  act(
    { index },
    (to, { index }) => token(to, { grant_type: 'refresh_token', refresh_token: nth(to.known.refreshTokens, index) }),
    'refresh',
  ),
  act({}, async ({ raw }) => (await raw('GET', '/api/auth/oidc/jwks.json')).text, 'keys'),
  act(
    {},
    async ({ post, known }) => {
      const { data } = await post<{ id: string }>('/api/v2/workflows', {
        name: 'New',
        features: ['liveness'],
        more: { $set: 1 },
      })
      known.workflows.push(data.id)
      return data
    },
    'create workflow',
  ),
  act(
    { index },
    ({ call, known }, { index }) => call('DELETE', `/api/v2/workflows/${nth(known.workflows, index)}`),
    'delete workflow',
  ),
)

/** Returns what acts see, one after the other: what they return, or the message that they throw. */
export async function seenBy(to: Actor, acts: readonly Act[]): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const one of acts) {
    try {
      const result = await one(to)
      const headers = Object(result).headers
      seen.push(headers instanceof Headers ? { ...Object(result), headers: [...headers] } : result)
    } catch (error) {
      seen.push(String(error))
    }
  }
  return seen
}

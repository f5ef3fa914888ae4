import { createHmac } from 'node:crypto'
import type { EmulatorSnapshot } from '../../../../src/emulator.ts'
import { placesIn, withPart } from '../../../support/json-parts.ts'
import { adult, nurse } from '../../support/checks.ts'
import { application, inProcess, redirectUri, requestOf } from '../../support/service.ts'
import { signInAt } from '../../support/sign-in.ts'
import { callback } from '../../support/webhook-receivers.ts'

/** A receiver that is always down, so that every delivery is retried. */
const deliver = async () => new Response('down', { status: 503 })

const inDamaged = () => inProcess({ webhooks: { deliver, destinations: [callback] } })

/** What someone can still use who used the emulator before the snapshot. */
interface Held {
  readonly code: string
  readonly refreshToken: string | undefined
  readonly links: readonly string[]
  readonly deliveries: readonly string[]
}

/** A snapshot with at least one record of each kind. */
export async function fullSnapshot(): Promise<{ snapshot: EmulatorSnapshot; held: Held }> {
  const service = inProcess({ seed: 1, webhooks: { deliver, destinations: [callback] } })
  const { emulator, session, post, raw } = service
  const { codeFor, tokensFor } = signInAt(service)
  const fields = {
    callback,
    redirect_url: 'https://app.example/back',
    vendor_data: '42',
    metadata: { a: [1] },
  }
  await session(fields)
  const started = await session(fields)
  emulator.sessions.start(started.session_id, { checks: { liveness: 'review' } })
  emulator.webhooks.faults.add({ kind: 'out_of_order' })
  for (const status of ['IN_REVIEW', 'DECLINED', 'APPROVED'] as const)
    await emulator.sessions.complete((await session(fields)).session_id, status)
  await emulator.webhooks.sendTest('verification.expired')
  await post('/api/v2/liveness', { image: 'AAAA' }, { key: 'key-1' })
  await post('/api/v2/age-verification', adult)
  await post('/api/v2/credential-verification', nurse)
  await post('/api/v2/workflows', { name: 'New', features: ['age'] })
  await post('/api/v2/face-uniqueness', { image: 'AAAA' })
  const { data } = await post<{ created: readonly { activation_link: string }[] }>('/api/sdk/members', {
    members: [{ email: 'a@example.com' }, { email: 'b@example.com', first_name: 'B', last_name: 'C' }],
    notify: false,
    invite: 'face',
  })
  const links = data.created.map(({ activation_link }) => activation_link)
  await emulator.members.activate(String(links[0]))
  await post('/api/sdk/members/b@example.com/invite', {})
  const { refresh_token: refreshToken } = await tokensFor()
  const code = codeFor({ nonce: 'nonce_1' })
  emulator.faults.add({ match: 'checks.location', status: 503, headers: { 'retry-after': '1' }, times: 2 })
  emulator.faults.add({ match: { path: '/api/v2/session/{id}' }, malformed: 'truncated', when: 'after' })
  emulator.checks.script('liveness', { status: 'failed', score: 0.1, data: { live_score: 0.1 } }, { times: 2 })
  emulator.checks.script('age', 'review')
  emulator.webhooks.faults.add({ kind: 'late', type: 'verification.approved', ageSeconds: 400, times: 2 })
  await raw('GET', '/unknown?a=1')
  const deliveries = emulator.webhooks.deliveries.map(({ id }) => id)
  return {
    snapshot: JSON.parse(JSON.stringify(await emulator.snapshot())),
    held: { code, refreshToken, links, deliveries },
  }
}

/** Values that replace others, each harmless by itself. */
const replacements: readonly unknown[] = [
  ...['damaged', '', '0001-01-01T00:00:00.000Z', null, true, 0, -1, 0.5, 1e15, [], {}, ['damaged']],
  ...[{ $undefined: true }, { $number: 'Infinity' }, { $number: 'NaN' }, { $date: 'damaged' }],
  ...[{ $date: '+200000-01-01T00:00:00.000Z' }, { $set: [1] }, { $map: [[1, 1]] }, { $map: 1 }, { $wrong: 1 }],
]

/** A snapshot that differs from another one in one value, and whose digest is right. */
export interface OneChange {
  /** The place and the new value. */
  readonly name: string
  readonly changed: () => EmulatorSnapshot
}

/** Every snapshot that differs from this one in one value. */
export function oneChangeOf({ digest: _, ...content }: EmulatorSnapshot): readonly OneChange[] {
  const [, ...paths] = placesIn(content)
  return paths.flatMap((path) =>
    replacements.map((value) => ({
      name: `${path.join('.')} = ${JSON.stringify(value)}`,
      changed: () => signed(withPart(content, path, value) as Omit<EmulatorSnapshot, 'digest'>),
    })),
  )
}

/** Changes the value at a path. */
export const withChange = ({ digest: _, ...content }: EmulatorSnapshot, path: string, value: unknown) =>
  signed(withPart(content, path.split('.'), value) as Omit<EmulatorSnapshot, 'digest'>)

/** Adds the digest, as whoever knows the source can. */
function signed(content: Omit<EmulatorSnapshot, 'digest'>): EmulatorSnapshot {
  const text = JSON.stringify(content, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
  return { ...content, digest: createHmac('sha256', 'emulator snapshot').update(text).digest('hex') }
}

/**
 * Restores a snapshot, and then does everything that an emulator can do.
 *
 * @returns whether it was refused, and what went wrong otherwise than with an error of the SDK or a response
 */
export async function useAfterRestore(
  snapshot: EmulatorSnapshot,
  held: Held,
): Promise<{ readonly refused: string | undefined; readonly failures: readonly string[] }> {
  const { emulator } = inDamaged()
  const failures: string[] = []
  /** Keeps what is thrown, unless it is an error of the SDK. */
  const attempt = async <T>(name: string, act: () => T): Promise<Awaited<T> | undefined> => {
    try {
      return await act()
    } catch (error) {
      if (Object(error).name !== 'EmulatorError') failures.push(`${name}: ${error}`)
      return undefined
    }
  }
  const send = async (request: Request) => {
    const name = `${request.method} ${request.url}`
    const text = await attempt(name, async () => (await emulator.fetch(request)).text())
    if (text?.includes('The emulator itself failed')) failures.push(`${name}: ${text.slice(0, 300)}`)
    return text ?? ''
  }
  const local = (path: string, body?: string | URLSearchParams) =>
    send(new Request(`http://localhost${path}`, body === undefined ? {} : { method: 'POST', body }))
  const call = (method: string, path: string, json?: object, key?: string) =>
    send(requestOf(method, path, { json, key }))

  const refused = await emulator.restore(snapshot).then(
    () => undefined,
    (error: unknown) => {
      if (Object(error).name !== 'EmulatorError') failures.push(`restore: ${error}`)
      return String(error)
    },
  )
  if (refused !== undefined) return { refused, failures }

  const api = '/_emulator/api'
  const texts = new Map<string, string>()
  for (const name of ['sessions', 'webhooks', 'members', 'tokens', 'ledger', 'requests', 'faults', 'clock'])
    texts.set(name, await local(`${api}/${name}`))
  for (const page of ['', 'sessions', 'checks', 'webhooks', 'members', 'tokens', 'ledger', 'requests', 'faults'])
    await local(`/_emulator/${page}`)
  await local('/_emulator/requests?search=damaged')
  const listed = <T>(name: string): readonly T[] => {
    const list = JSON.parse(texts.get(name) || '[]')
    return Array.isArray(list) ? list : []
  }
  for (const { session_id, url } of listed<{ session_id: string; url: string }>('sessions')) {
    const path = new URL(url, 'http://localhost').pathname
    await local(`/_emulator/sessions/${encodeURIComponent(session_id)}`)
    await call('GET', `/api/v2/session/${encodeURIComponent(session_id)}`)
    await call('GET', `/api/v2/session/${encodeURIComponent(session_id)}/decision`)
    await local(path)
    await local(`${path}?step=1`, new URLSearchParams({ choice: 'continue', liveness: 'passed' }))
    await local(path, new URLSearchParams({ choice: 'submit' }))
    await attempt('complete', () => emulator.sessions.complete(session_id, 'DECLINED'))
  }
  for (const { requestId } of listed<{ requestId: string }>('requests').slice(-3))
    await local(`/_emulator/requests/${encodeURIComponent(requestId)}`)
  for (const id of held.deliveries) {
    await local(`/_emulator/webhooks/${id}`)
    await attempt('resend', () => emulator.webhooks.resend(id))
  }
  for (const link of held.links) {
    await local(new URL(link).pathname)
    await attempt('activate', () => emulator.members.activate(link))
  }
  for (const email of ['a@example.com', 'b@example.com']) {
    await call('POST', `/api/sdk/members/${email}/invite`, {})
    await call('POST', `/api/sdk/members/${email}/deactivate`, {})
  }
  await call('GET', '/api/sdk/members')
  await call('GET', '/api/sdk/billing')
  await call('GET', '/api/v2/session')
  await call('GET', '/api/v2/workflows')
  await call('POST', '/api/v2/session', { workflow_id: 'wf_identity' })
  await call('POST', '/api/v2/liveness', { image: 'AAAA' }, 'key-1')
  await call('POST', '/api/v2/liveness', { image: 'AAAA' })
  await call('POST', '/api/v2/age-verification', adult)
  await call('POST', '/api/v2/face-uniqueness', { image: 'AAAA' })
  await call('POST', '/api/v2/location', { latitude: 1, longitude: 2 })
  const token = '/api/auth/oidc/token'
  await call('POST', token, {
    grant_type: 'authorization_code',
    ...application,
    code: held.code,
    redirect_uri: redirectUri,
  })
  await call('POST', token, {
    grant_type: 'refresh_token',
    ...application,
    refresh_token: held.refreshToken ?? '',
  })
  await call('GET', '/api/auth/oidc/jwks.json')
  await attempt('advance', () => emulator.clock.advance(3_600_000))
  await attempt('settled', () => emulator.webhooks.settled())
  await attempt('snapshot', () => emulator.snapshot())
  return { refused, failures }
}

import { expect, it } from 'vitest'
import type { Session } from '../../src/contract/verification/sessions.ts'
import { ConfigurationError } from '../../src/errors.ts'
import { emulated, requestOf } from './emulated.ts'

const gateway = 'https://gateway.example/identity'

/** The request for the same path, as it is sent to an address of its own. */
function sentTo(baseUrl: string, request: Request): Request {
  return new Request(baseUrl + new URL(request.url).pathname, request)
}

async function sessionAt(baseUrl: string | URL, sentBelow: string) {
  const { emulator } = emulated()
  const request = requestOf('POST', '/api/v2/session', { json: { workflow_id: 'wf_identity' } })
  const response = await emulator.at(baseUrl)(sentTo(sentBelow, request))
  return { emulator, session: ((await response.json()) as { data: Session }).data }
}

it.each([
  ['a path', gateway, gateway],
  ['a trailing slash', `${gateway}/`, gateway],
  ['a URL', new URL(gateway), gateway],
  ['a host alone', 'https://id.example', 'https://id.example'],
] as const)('gives its addresses out under the base URL that it was put at: %s', async (_, at, base) => {
  const { emulator, session } = await sessionAt(at, base)

  expect(session.url).toMatch(new RegExp(`^${base}/s/\\w+$`))
  const page = await emulator.at(at)(new Request(session.url))
  expect(await page.text()).toContain('One result for all checks')
})

it('names the base URL, and not where a request was sent, as a server behind a proxy must', async () => {
  const { session } = await sessionAt('https://public.example', 'http://127.0.0.1:8080')

  expect(session.url).toMatch(/^https:\/\/public\.example\/s\//)
})

it('brings the person back to the page below the base URL when there is nowhere else to go', async () => {
  const { emulator, session } = await sessionAt(gateway, gateway)
  const body = new URLSearchParams({ choice: 'approve' })

  const response = await emulator.at(gateway)(new Request(session.url, { method: 'POST', body }))

  expect(response.headers.get('location')).toBe(session.url)
})

it('matches faults by the paths of the service, whatever stands before them', async () => {
  const { emulator, session } = await sessionAt(gateway, gateway)
  const path = `/api/v2/session/${session.session_id}`
  emulator.faults.add({ match: `GET ${path}`, status: 503 })

  const response = await emulator.at(gateway)(sentTo(gateway, requestOf('GET', path)))

  expect(response.status).toBe(503)
})

it.each(['https://gateway.example', 'https://gateway.example/identity2', 'https://gateway.example/identit'])(
  'serves nothing at %s when it is put below another path',
  async (elsewhere) => {
    const { emulator } = emulated()

    const response = await emulator.at(gateway)(sentTo(elsewhere, requestOf('GET', '/api/v2/session')))

    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { code: 'endpoint_not_found' } })
  },
)

it.each([
  '',
  '/identity',
  'ftp://id.example',
  'https://me:secret@id.example',
  'https://id.example/?a=1',
  'https://id.example/#a',
])('refuses the base URL %j', (baseUrl) => {
  const { emulator } = emulated()

  expect(() => emulator.at(baseUrl)).toThrow(ConfigurationError)
})

import { expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/index.ts'
import { inProcess, requestOf, type Session } from '../support/service.ts'

const gateway = 'https://gateway.example/identity'

/** Creates a request for the same path below another base URL. */
function sentTo(baseUrl: string, request: Request): Request {
  return new Request(baseUrl + new URL(request.url).pathname, request)
}

async function sessionAt(baseUrl: string | URL, sentBelow: string) {
  const { emulator } = inProcess()
  const request = requestOf('POST', '/api/v2/session', { json: { workflow_id: 'wf_identity' } })
  const response = await emulator.at(baseUrl)(sentTo(sentBelow, request))
  return { emulator, session: ((await response.json()) as { data: Session }).data }
}

it.each([
  ['a path', gateway, gateway],
  ['a path with a trailing slash', `${gateway}/`, gateway],
  ['a URL object', new URL(gateway), gateway],
  ['a host without a path', 'https://id.example', 'https://id.example'],
] as const)('hosted pages are below the base URL: %s', async (_, at, base) => {
  const { emulator, session } = await sessionAt(at, base)

  expect(session.url).toMatch(new RegExp(`^${base}/s/\\w+$`))
  const page = await emulator.at(at)(new Request(session.url))
  expect(await page.text()).toContain('Choose how this verification ends')
})

it('addresses start with the base URL although a proxy sends requests to another host', async () => {
  const { session } = await sessionAt('https://public.example', 'http://127.0.0.1:8080')

  expect(session.url).toMatch(/^https:\/\/public\.example\/s\//)
})

it('redirects the person to the page below the base URL if the session has no redirect_url', async () => {
  const { emulator, session } = await sessionAt(gateway, gateway)
  const body = new URLSearchParams({ choice: 'approve' })

  const response = await emulator.at(gateway)(new Request(session.url, { method: 'POST', body }))

  expect(response.headers.get('location')).toBe(session.url)
})

it('matches faults by the path of the service, without the path of the base URL', async () => {
  const { emulator, session } = await sessionAt(gateway, gateway)
  const path = `/api/v2/session/${session.session_id}` as const
  emulator.faults.add({ match: `GET ${path}`, status: 503 })

  const response = await emulator.at(gateway)(sentTo(gateway, requestOf('GET', path)))

  expect(response.status).toBe(503)
})

it.each(['https://gateway.example', 'https://gateway.example/identity2', 'https://gateway.example/identit'])(
  'returns 404 endpoint_not_found outside the path of the base URL: %s',
  async (elsewhere) => {
    const { emulator } = inProcess()

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
])('throws ConfigurationError for the base URL %j', (baseUrl) => {
  const { emulator } = inProcess()

  expect(() => emulator.at(baseUrl)).toThrow(ConfigurationError)
})

it('does not read a host from a path that starts with two slashes', async () => {
  const { emulator } = inProcess()

  const response = await emulator.fetch(new Request('https://identity.example//elsewhere.example/api/v2/session'))

  expect(response.status).toBe(404)
})

import { afterEach, expect, it, vi } from 'vitest'
import { VerificationClient } from '../src/index.ts'

const settings = { baseUrl: 'https://id.example.test', apiKey: 'key_test_0123456789', maxRetries: 0 }
const params = { dob: '1990-01-01', bands: [18] }
const aResult = {
  session_id: 'sess_1',
  status: 'passed',
  check: { type: 'age', status: 'passed', data: { age: 36 }, error: null },
}

const aClient = () =>
  new VerificationClient({
    ...settings,
    fetch: async () => Response.json({ success: true, data: [], error: null }),
  })

const transportFails = () =>
  vi.doMock('../src/http/fetch-transport.ts', () => {
    throw new Error('EMFILE: too many open files')
  })
const transportIsThere = () => vi.doUnmock('../src/http/fetch-transport.ts')

afterEach(transportIsThere)

it('a transport that could not be loaded is loaded again by the next call', async () => {
  const client = aClient()
  transportFails()
  await expect(client.sessions.list()).rejects.toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: false,
  })

  transportIsThere()
  await expect(client.sessions.list()).resolves.toEqual([])
})

it('a client whose transport could not be loaded closes without an error', async () => {
  const client = aClient()
  transportFails()
  const call = client.sessions.list()
  const closed = client.close()

  await expect(call).rejects.toMatchObject({ name: 'ConnectionError' })
  await expect(closed).resolves.toBeUndefined()
})

it('a spend limit that could not be loaded stops the call, and is loaded again by the next one', async () => {
  const fetch = vi.fn(async () => Response.json({ success: true, data: aResult, error: null }))
  const client = new VerificationClient({ ...settings, fetch, spendLimit: { calls: 1, perMs: 60_000 } })
  vi.doMock('../src/http/spend-guard.ts', () => {
    throw new Error('EMFILE: too many open files')
  })
  await expect(client.checks.age(params)).rejects.toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: false,
  })
  expect(fetch).not.toHaveBeenCalled()

  vi.doUnmock('../src/http/spend-guard.ts')
  await expect(client.checks.age(params)).resolves.toMatchObject({ status: 'passed' })
  await expect(client.checks.age(params)).rejects.toMatchObject({ name: 'SpendLimitError' })
})

const aSession = {
  session_id: 'sess_1',
  url: 'https://id.example.test/s/1',
  status: 'APPROVED',
  decision: 'APPROVED',
  features: [],
  checks: [],
}
const answering = (data: object) => vi.fn(async () => Response.json({ success: true, data, error: null }))
const aPortrait = {
  ...aResult,
  check: { type: 'liveness', status: 'passed', data: { live_score: 1 }, error: null },
}

it.each<
  [what: string, module: string, data: object, call: (client: VerificationClient) => PromiseLike<unknown>]
>([
  [
    'a wait for a decision',
    '../src/verification/wait-for-decision.ts',
    aSession,
    ({ sessions }) => sessions.waitForDecision('sess_1'),
  ],
  [
    'a change of status',
    '../src/verification/status-update.ts',
    aSession,
    ({ sessions }) => sessions.updateStatus('sess_1', { status: 'APPROVED' }),
  ],
  [
    'a request to any path',
    '../src/http/raw-target.ts',
    {},
    (client) => client.request({ method: 'GET', path: '/api/v2/usage' }),
  ],
  [
    'a call with an image',
    '../src/http/image-body.ts',
    aPortrait,
    ({ checks }) => checks.liveness({ image: Uint8Array.of(1) }),
  ],
])(
  '%s whose code could not be loaded sends nothing and says so, and the next one loads it',
  async (_, module, data, call) => {
    const fetch = answering(data)
    const client = new VerificationClient({ ...settings, fetch })
    vi.doMock(module, () => {
      throw new Error('EMFILE: too many open files')
    })
    await expect(call(client)).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringMatching(/code of this package could not be loaded$/),
      mayHaveArrived: false,
    })
    expect(fetch).not.toHaveBeenCalled()

    vi.doUnmock(module)
    await call(client)
    expect(fetch).toHaveBeenCalled()
  },
)

it('what becomes of the params while the code for images is loaded changes nothing', async () => {
  vi.resetModules()
  const { VerificationClient: Fresh } = await import('../src/index.ts')
  const bodies: string[] = []
  const fetch = async (...[, init]: Parameters<typeof globalThis.fetch>) => {
    bodies.push(await new Response(init?.body).text())
    return Response.json({ success: true, data: aPortrait, error: null })
  }
  const params: { image: Uint8Array } = { image: new TextEncoder().encode('the first') }

  const called = new Fresh({ ...settings, fetch }).checks.liveness(params)
  params.image = new TextEncoder().encode('another')
  await called

  expect(bodies[0]).toContain('the first')
})

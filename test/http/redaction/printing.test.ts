import { expect, it } from 'vitest'
import { ApiError } from '../../../src/errors.ts'
import { aSession } from '../../support/fixtures.ts'
import { hookRecorder } from '../../support/hook-recorder.ts'
import { printed } from '../../support/printed.ts'
import { respond, scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'
import { canary, leaksIn } from './canaries.ts'

it('never prints details and headers of an error, which can be read', async () => {
  const body = {
    success: false,
    error: { code: 'x', message: 'no', detail: 'canary-detail' },
  }
  const { fetch } = scriptedFetch(respond(400, body, { 'x-more': 'canary-header' }))
  const { client } = testClient({ fetch })

  const error = await thrownBy(client.sessions.retrieve('s'))

  expect(error).toBeInstanceOf(ApiError)
  const { details, headers } = error as ApiError
  expect([details.detail, headers.get('x-more')]).toEqual(['canary-detail', 'canary-header'])
  expect(printed(error, { ...(error as ApiError) }, [error], { error })).not.toContain('canary')
})

it('never prints the headers and the envelope of a response', async () => {
  const { fetch } = scriptedFetch(
    respond(200, { success: true, data: aSession(), more: 'canary' }, { 'x-more': 'canary' }),
  )
  const { client } = testClient({ fetch })

  const { response } = await client.sessions.retrieve('s').withResponse()

  expect(response.headers.get('x-more')).toBe('canary')
  expect(printed(response)).not.toContain('canary')
})

it('returns the data of a call unchanged, and never prints it', async () => {
  const session = aSession({
    session_token: 'st_secret',
    email: 'ada@example.test',
    url: 'https://id.example.test/s/1',
  })
  const { records, options } = hookRecorder()
  const { fetch } = scriptedFetch(succeed(session))
  const { client } = testClient({ fetch, ...options })

  await expect(client.sessions.retrieve('s')).resolves.toEqual(session)
  expect(printed(...records)).not.toMatch(/st_secret|ada@/)
})

it('never prints the secrets of a client', () => {
  const { client } = testClient({ apiKey: canary.apiKey, headers: { 'x-gateway': canary.header } })

  expect(leaksIn(printed(client, client.sessions, client.checks))).toEqual([])
})

it('does not quote the value of a rejected option', () => {
  const create = (options: object) => () => testClient(options)

  for (const options of [
    { apiKey: `${canary.apiKey}\r\n` },
    { headers: { 'x-gateway': `${canary.header}\n` } },
    { headers: { [`${canary.apiKey}\n`]: 'x' } },
    { baseUrl: `http://${canary.apiKey}.example.test` },
  ]) {
    expect(create(options)).toThrow(/^(?!.*canary).*$/is)
  }
})

it('names a rejected param without quoting its value', async () => {
  const { client } = testClient()
  const calls = [
    client.sessions.create({ redirect_url: canary.text, vendor_data: canary.number as never }),
    client.checks.age({ dob: 19850412 as never, bands: [canary.text as never, {} as never] }),
    client.checks.liveness({ image: `${canary.image}!` as never }),
    client.checks.liveness({ image: { base64: `${canary.image}!` } }),
    client.checks.credential({ license_state: canary.text, license_number: '' } as never),
    client.request({ method: 'GET', path: `/${canary.text}` }),
    client.sessions.create({}, { idempotencyKey: canary.text }),
  ]

  for (const error of await Promise.allSettled(calls)) {
    expect(error.status).toBe('rejected')
    expect(leaksIn(printed((error as PromiseRejectedResult).reason))).toEqual([])
  }
})

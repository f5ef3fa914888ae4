import { expect, it } from 'vitest'
import { overHttp } from '../support/service.ts'

it('gives each session its own id, token and hosted page', async () => {
  const { session } = await overHttp()

  const [a, b] = [await session(), await session()]

  for (const field of ['session_id', 'session_token', 'url'] as const) expect(a[field]).not.toBe(b[field])
})

it('runs the checks of the first workflow if the request names none', async () => {
  const { session } = await overHttp()

  const { features } = await session({ workflow_id: undefined })

  expect(features).toEqual(['id_verification', 'liveness', 'face_match'])
})

it.each([
  ['a body that is not JSON', '{"workflow_id":'],
  ['a body that is not an object', '[]'],
  ['a ttl_seconds that is a string', '{"ttl_seconds":"900"}'],
  ['a ttl_seconds of 0', '{"ttl_seconds":0}'],
  ['a ttl_seconds of half a second', '{"ttl_seconds":0.5}'],
  ['a ttl_seconds that ends after the last possible date', '{"ttl_seconds":9000000000000}'],
  ['a redirect_url that is not a URL', '{"redirect_url":"back"}'],
  ['a relative redirect_url', '{"redirect_url":"/back"}'],
  ['a callback that is not a string', '{"callback":1}'],
  ['a vendor_data that is not a string', '{"vendor_data":{}}'],
  ['metadata that is not an object', '{"metadata":"gold"}'],
])('rejects %s with 400 validation_error', async (_, body) => {
  const { call } = await overHttp()

  const { status, error } = await call('POST', '/api/v2/session', {
    headers: { 'Content-Type': 'application/json' },
    body,
  })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

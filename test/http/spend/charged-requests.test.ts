import { expect, it } from 'vitest'
import type { RawRequest } from '../../../src/index.ts'
import { check, failureOf, processes } from './processes.ts'

const requestOf = async (request: RawRequest, options?: object) => {
  const { clients, sent } = processes({ limit: { calls: 1, perKey: { calls: 1, perMs: 60_000 } } })
  await check(clients[0])
  const error = await failureOf(clients[0].request(request, options))
  return { error, isSent: sent.length === 2 }
}

it.each([
  ['POST', '/api/v2/liveness'],
  ['POST', '/api/v2/Liveness'],
  ['POST', '/api/v2//liveness'],
  ['POST', '/api/v2/%6Civeness'],
  ['POST', '/api/v2/liveness/'],
  ['PUT', '/api/v2/liveness'],
  ['POST', '/api/v3/anything'],
  ['POST', '/api/v2/Session'],
  ['DELETE', '/api/v2/anything'],
] as const)('%s %s counts, because it may be charged', async (method, path) => {
  const { error, isSent } = await requestOf({ method, path, body: { image: { base64: '/9j/' } } })
  expect(error).toMatchObject({ code: 'spend_limit', reason: 'limit_reached' })
  expect(isSent).toBe(false)
})

it.each([
  ['POST', '/api/v2/session'],
  ['GET', '/api/v2/anything'],
  ['GET', '/api/v2/session'],
] as const)('%s %s does not count', async (method, path) => {
  const { isSent } = await requestOf({ method, path })
  expect(isSent).toBe(true)
})

it('a request that may be charged accepts a spendKey, and one that is not rejects it', async () => {
  const options = { spendKey: 'ada' }
  const { error } = await requestOf({ method: 'POST', path: '/api/v3/anything' }, options)
  expect(error).toMatchObject({ code: 'spend_limit' })

  const free = await requestOf({ method: 'GET', path: '/api/v3/anything' }, options)
  expect(free.error).toMatchObject({ code: 'invalid_params' })
})

import { expect, it } from 'vitest'
import { overHttp } from '../support/service.ts'

// The contract lists this code without a status.
it.each([
  ['GET', '/api/v2/no-such-path'],
  ['PUT', '/api/v2/session'],
  ['GET', '/api/v2/liveness'],
  ['GET', '/api/sdk/no-such-path'],
  ['POST', '/api/v1/session'],
  ['GET', '/'],
])('%s %s returns 404 endpoint_not_found', async (method, path) => {
  const { call } = await overHttp()

  const { status, data, error } = await call(method, path)

  expect([status, data, error?.code]).toEqual([404, null, 'endpoint_not_found'])
})

it.each(['POST token', 'GET userinfo', 'GET licenses', 'GET verifications', 'POST refresh'])(
  'the removed legacy %s returns 410 endpoint_removed',
  async (line) => {
    const { call } = await overHttp()
    const [method = '', name] = line.split(' ')

    const { status, error } = await call(method, `/api/auth/tpsso/${name}`)

    expect([status, error?.code]).toEqual([410, 'endpoint_removed'])
  },
)

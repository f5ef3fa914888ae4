import { expect, it } from 'vitest'
import { overHttp } from '../../support/service.ts'

// Section 2.2: a callback must exactly match an approved destination

const approved = 'https://app.example/webhooks/identity'

it.each([approved, 'http://localhost:3000/hook', undefined])(
  'accepts a callback that is an approved destination, and a session without one: %s',
  async (callback) => {
    const destinations = [approved, 'http://localhost:3000/hook']
    const { post } = await overHttp({ webhooks: { destinations } })

    expect((await post('/api/v2/session', { callback })).status).toBe(200)
  },
)

it.each(['http://127.0.0.1:4567/any', 'http://[::1]:4567/any', 'http://localhost/hook'])(
  'accepts a callback on this machine if no destinations are listed: %s',
  async (callback) => {
    const { post } = await overHttp()

    expect((await post('/api/v2/session', { callback })).status).toBe(200)
  },
)

it.each([
  'https://app.example/hook',
  'http://app.example/hook',
  'http://127.0.0.1.example/hook',
  'ftp://localhost/hook',
])('rejects a callback on another machine if no destinations are listed: %s', async (callback) => {
  const { post } = await overHttp()

  const { status, error } = await post('/api/v2/session', { callback })

  expect([status, error?.code]).toEqual([422, 'callback_not_allowed'])
  expect(error?.message).toContain('addresses of this machine (webhooks.destinations, --callback)')
})

it.each([
  'https://app.example/webhooks/identity/',
  `${approved}?a`,
  'https://app.example/Webhooks/identity',
  'https://other.example/webhooks/identity',
])('rejects a callback that only resembles an approved destination: %s', async (callback) => {
  const { post } = await overHttp({ webhooks: { destinations: [approved] } })

  const { status, error } = await post('/api/v2/session', { callback })

  expect([status, error?.code]).toEqual([422, 'callback_not_allowed'])
})

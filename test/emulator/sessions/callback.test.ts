import { expect, it } from 'vitest'
import { overHttp } from '../support/service.ts'

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

it.each([
  'https://elsewhere.example/webhooks/identity',
  `${approved}/`,
  `${approved}?a=1`,
  `${approved}#a`,
  'https://app.example/webhooks/Identity',
  'https://APP.example/webhooks/identity',
  'https://app.example:443/webhooks/identity',
  'http://app.example/webhooks/identity',
  'http://localhost:3000/hook',
])(
  'rejects a callback that differs from the approved destination with 422 callback_not_allowed: %s',
  async (callback) => {
    const { post, get } = await overHttp({ webhooks: { destinations: [approved] } })

    const { status, error } = await post('/api/v2/session', { callback })

    expect([status, error?.code]).toEqual([422, 'callback_not_allowed'])
    expect((await get('/api/v2/session')).data).toEqual([])
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
})

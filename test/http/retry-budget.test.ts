import { expect, it } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { fail, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

const unavailable = fail(503, 'engine_unreachable')

it('has a budget of 50 retries, and adds one for each call that succeeds at its first attempt', async () => {
  let isUp = false
  const { fetch, requests } = scriptedFetch((signal) => (isUp ? succeed() : unavailable)(signal))
  const { client } = testClient({ fetch, maxRetries: 10 })
  for (let i = 0; i < 7; i++) await thrownBy(client.sessions.retrieve('s'))
  const duringTheOutage = requests.length
  isUp = true
  await client.sessions.retrieve('s')
  await client.sessions.retrieve('s')
  isUp = false
  const before = requests.length

  const error = await thrownBy(client.sessions.retrieve('s'))

  expect(duringTheOutage).toBe(7 + 50)
  expect(requests.length - before).toBe(1 + 2)
  expect(error).toBeInstanceOf(ApiError)
})

it('never has more than 50 retries', async () => {
  const { fetch, requests } = scriptedFetch(...Array.from({ length: 3 }, () => succeed()), unavailable)
  const { client } = testClient({ fetch, maxRetries: 10 })
  for (let i = 0; i < 3; i++) await client.sessions.retrieve('s')

  for (let i = 0; i < 6; i++) await thrownBy(client.sessions.retrieve('s'))

  expect(requests).toHaveLength(3 + 6 + 50)
})

it('adds no retry for a call that succeeds after a retry', async () => {
  const { fetch, requests } = scriptedFetch(
    ...Array.from({ length: 50 }, () => [unavailable, succeed()]).flat(),
    unavailable,
  )
  const { client } = testClient({ fetch })
  for (let i = 0; i < 50; i++) await client.sessions.retrieve('s')
  const before = requests.length

  await thrownBy(client.sessions.retrieve('s'))

  expect(requests.length - before).toBe(1)
})

it('has one budget for each client', async () => {
  const { fetch, requests } = scriptedFetch(unavailable)
  const first = testClient({ fetch, maxRetries: 10 })
  for (let i = 0; i < 6; i++) await thrownBy(first.client.sessions.retrieve('s'))
  const before = requests.length

  await thrownBy(testClient({ fetch }).client.sessions.retrieve('s'))

  expect(requests.length - before).toBe(3)
})

it('takes no retry from the budget if the deadline allows no wait', async () => {
  const { fetch, requests } = scriptedFetch(unavailable)
  const { client } = testClient({ fetch })
  for (let i = 0; i < 60; i++) await thrownBy(client.sessions.retrieve('s', { deadlineMs: 100 }))
  const before = requests.length

  await thrownBy(client.sessions.retrieve('s'))

  expect(requests.length - before).toBe(3)
})

import { expect, it } from 'vitest'
import { fail, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

const unavailable = fail(503, 'engine_unreachable')

it('never has more than 50 retries', async () => {
  const { fetch, requests } = scriptedFetch(...Array.from({ length: 3 }, () => succeed()), unavailable)
  const { client } = testClient({ fetch, maxRetries: 10 })
  for (let i = 0; i < 3; i++) await client.sessions.retrieve('s')

  for (let i = 0; i < 6; i++) await thrownBy(client.sessions.retrieve('s'))

  expect(requests).toHaveLength(3 + 6 + 50)
})

it('adds one retry for each call that succeeds at its first attempt', async () => {
  const outage = Array.from({ length: 60 }, () => unavailable)
  const { fetch, requests } = scriptedFetch(...outage, succeed(), succeed(), succeed(), unavailable)
  const { client } = testClient({ fetch, maxRetries: 9 })
  while (requests.length < outage.length) await thrownBy(client.sessions.retrieve('s'))
  for (let i = 0; i < 3; i++) await client.sessions.retrieve('s')
  const before = requests.length

  await thrownBy(client.sessions.retrieve('s'))

  expect(requests.length - before).toBe(1 + 3)
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

import { expect, it } from 'vitest'
import { collect } from '../support/collect.ts'
import { testOrg } from '../support/org-client.ts'
import { aMember } from '../support/roster-operations.ts'
import { fail, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { emulatedOrg, people } from './emulated-org.ts'

const pending = (count: number) => people(count).map(({ email }) => ({ email, status: 'invited' as const }))
const ids = (count: number) => people(count).map(({ email }) => email)
const strict = (count: number) => ({ members: pending(count), readings: { inviteLimit: 'overall' as const } })

const invited = { member: aMember(), activation_link: 'https://console.example.test/activate/1' }

/** A service that records when each request arrives, and takes a while to respond. */
function slowOrg(tookMs: (request: number) => number = () => 0) {
  const arrivals: number[] = []
  const fetch: typeof globalThis.fetch = async () => {
    arrivals.push(setup.now())
    setup.passTime(tookMs(arrivals.length))
    return Response.json({ success: true, data: invited, error: null })
  }
  const setup = testOrg({ fetch })
  return { ...setup, arrivals }
}

/** The largest number of requests in any minute, not including its end. */
const mostInAMinute = (times: readonly number[]) =>
  Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + 60_000).length))

it('invites 25 members within the limit if the service counts all invites together', async () => {
  const { emulator, org, waits } = emulatedOrg(strict(25))

  const outcomes = await collect(org.members.inviteAll(ids(25)))

  expect(outcomes.map(({ id }) => id)).toEqual(ids(25))
  expect(outcomes.filter(({ error }) => error)).toEqual([])
  for (const { id, result } of outcomes) expect(result).toMatchObject({ member: { email: id, status: 'link_sent' } })
  expect(emulator.requests.map(({ status }) => status)).toEqual(Array(25).fill(200))
  expect(waits).toEqual([60_000, 60_000])
})

it('await sends all invites and returns the totals, with the failed ones', async () => {
  const { emulator, org, waits } = emulatedOrg(strict(25))

  const totals = await org.members.inviteAll(['unknown@example.com', ...ids(25)])

  expect(totals).toMatchObject({
    invited: 25,
    failed: 1,
    failures: [{ item: 'unknown@example.com', error: { code: 'not_found' } }],
  })
  expect(emulator.requests).toHaveLength(26)
  expect(waits).toEqual([60_000, 60_000])
})

it('invites the members of a list by their member_id', async () => {
  const { emulator, org } = emulatedOrg(strict(2))
  const { members } = await org.members.list()

  const outcomes = await collect(org.members.inviteAll(members))

  expect(outcomes.map(({ outcome, id }) => [outcome, id])).toEqual(
    members.map(({ member_id }) => ['invited', member_id]),
  )
  expect(emulator.requests.slice(1).map(({ path }) => path)).toEqual(
    members.map(({ member_id }) => `/api/sdk/members/${member_id}/invite`),
  )
})

it.each([undefined, null, 7, {}])('reports an id that is %j as failed and continues', async (one) => {
  const { org } = emulatedOrg(strict(1))
  const totals = await org.members.inviteAll([one as unknown as string, ...ids(1)])
  expect(totals).toMatchObject({ invited: 1, failed: 1, failures: [{ error: { code: 'invalid_params' } }] })
})

it.each([
  ['at once', () => 0],
  ['slowly', () => 7000],
  ['at once, and then in seconds', (request: number) => (request === 1 ? 0 : 6600)],
  ['now fast, now slowly', (request: number) => (request % 3) * 4321],
])('sends at most 10 in any minute to a service that responds %s', async (_, tookMs) => {
  const { org, arrivals } = slowOrg(tookMs)
  await collect(org.members.inviteAll(ids(45)))
  expect(arrivals).toHaveLength(45)
  expect(mostInAMinute(arrivals)).toBeLessThanOrEqual(10)
})

it('waits no longer than the window requires, counted from the response', async () => {
  const { org, waits } = slowOrg(() => 1000)
  await collect(org.members.inviteAll(ids(12)))
  // The first response arrives at 1 s, the tenth at 10 s. The eleventh is sent at 61 s, the twelfth at 62 s.
  expect(waits).toEqual([51_000])
})

it('shares one limit in a client between sequential runs, concurrent runs and single invites', async () => {
  const { org, arrivals } = slowOrg()

  for (const id of ids(4)) await org.members.invite(id)
  await collect(org.members.inviteAll(ids(8)))
  await Promise.all([8, 9, 10].map((count) => collect(org.members.inviteAll(ids(count)))))

  expect(arrivals).toHaveLength(39)
  expect(mostInAMinute(arrivals)).toBeLessThanOrEqual(10)
})

it('counts retries toward the limit', async () => {
  const failed = fail(429, 'rate_limited')
  const arrivals: number[] = []
  const script = scriptedFetch(failed, failed, ...Array(12).fill(succeed(invited)))
  const { org, now } = testOrg({
    fetch: (input, init) => {
      arrivals.push(now())
      return script.fetch(input, init)
    },
  })
  await collect(org.members.inviteAll(ids(12)))
  expect(arrivals).toHaveLength(14)
  expect(mostInAMinute(arrivals)).toBeLessThanOrEqual(10)
})

it('reports a failed invite with its id and continues', async () => {
  const { org } = emulatedOrg({
    members: [
      { email: 'active@example.com' },
      { email: 'gone@example.com', status: 'deactivated' },
      { email: 'pending@example.com', status: 'link_sent' },
    ],
  })
  const done: number[] = []
  const given = ['active@example.com', 'gone@example.com', 'unknown@example.com', '', 'pending@example.com']

  const outcomes = await collect(
    org.members.inviteAll(given, { onProgress: ({ invited, failed }) => void done.push(invited + failed) }),
  )

  expect(outcomes.map(({ id, error }) => [id, error?.code])).toEqual([
    ['active@example.com', 'already_active'],
    ['gone@example.com', 'deactivated'],
    ['unknown@example.com', 'not_found'],
    ['', 'invalid_params'],
    ['pending@example.com', undefined],
  ])
  expect(outcomes[4]?.result).toMatchObject({ activation_link: expect.stringMatching(/^https:/) })
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'failed', 'invited'])
  expect(outcomes[0]).not.toHaveProperty('result')
  expect(outcomes[4]).not.toHaveProperty('error')
  expect(done).toEqual([1, 2, 3, 4, 5])
})

it('an invite that was never sent uses no slot', async () => {
  const { org, waits } = emulatedOrg(strict(10))
  const outcomes = await collect(org.members.inviteAll([...Array(10).fill(''), ...ids(10)]))
  expect(outcomes.filter(({ result }) => result)).toHaveLength(10)
  expect(waits).toEqual([])
})

it('waits as long as the service specifies if another client has used up the limit', async () => {
  const { emulator, org, waits } = emulatedOrg(strict(2))
  const other = testOrg({ ...emulator.options.org }).org
  for (let i = 0; i < 10; i++) await other.members.invite('person0@example.com')

  const outcomes = await collect(org.members.inviteAll(['person1@example.com']))

  expect(outcomes[0]?.error).toBeUndefined()
  expect(waits).toEqual([60_000])
})

it('an abort ends the wait for the next minute', async () => {
  const controller = new AbortController()
  const sleeps: number[] = []
  const { org } = testOrg({
    fetch: scriptedFetch(succeed(invited)).fetch,
    sleep: (ms, signal) => {
      sleeps.push(ms)
      queueMicrotask(() => controller.abort(new Error('enough')))
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    },
  })
  const yielded: string[] = []
  const all = async () => {
    for await (const { id } of org.members.inviteAll(ids(11), { signal: controller.signal })) yielded.push(id)
  }

  await expect(all()).rejects.toMatchObject({
    name: 'AbortedError',
    operation: 'members.inviteAll',
    mayHaveArrived: false,
    cause: { message: 'enough' },
  })
  expect([yielded.length, sleeps]).toEqual([10, [60_000]])
})

it('an aborted wait leaves its slot to the next run', async () => {
  const controller = new AbortController()
  const { org, waits } = slowOrg()
  await collect(org.members.inviteAll(ids(9)))
  const aborting = async () => {
    for await (const _ of org.members.inviteAll(ids(2), { signal: controller.signal })) controller.abort()
  }

  await expect(aborting()).rejects.toMatchObject({ name: 'AbortedError' })
  await collect(org.members.inviteAll(ids(1)))

  expect(waits).toEqual([60_000])
})

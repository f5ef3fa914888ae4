import { expect, it } from 'vitest'
import type { AddAllItem, AddAllSummary, NewMember, OrgClient } from '../../src/index.ts'
import { collect } from '../support/collect.ts'
import { testOrg } from '../support/org-client.ts'
import { breakConnection, hangThen, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { emulatedOrg, people } from './emulated-org.ts'

const everyone = people(1234)

it('await adds all members and returns the totals', async () => {
  const { emulator, org } = emulatedOrg({ members: [{ email: 'person7@example.com' }] })

  const totals = await org.members.addAll(everyone)

  expect(totals).toEqual({ created: 1233, skipped: 1, failed: 0, failures: [] })
  expect(emulator.requests).toHaveLength(3)
})

it('sends nothing and reads nothing until it is consumed', async () => {
  const { emulator, org } = emulatedOrg()
  let read = 0
  function* counted() {
    read += 1
    yield* people(3)
  }

  const adding = org.members.addAll(counted())
  await Promise.resolve()

  expect([read, emulator.requests.length]).toEqual([0, 0])
  expect(await adding).toMatchObject({ created: 3 })
})

it('the totals contain each member who could not be added, with the error of the call', async () => {
  const { emulator, org } = emulatedOrg()
  const mixed = [...people(500), { email: '' }, ...people(499, 501), ...people(3, 1000)]
  emulator.faults.add({ match: 'members.add', status: 503, code: { unlisted: 'activation_failed' } })

  const { failures, ...counts } = await org.members.addAll(mixed)

  expect(counts).toEqual({ created: 502, skipped: 0, failed: 501 })
  expect(failures.map(({ item }) => item)).toEqual(mixed.slice(0, 501))
  expect([failures[499]?.error.code, failures[500]?.error.code]).toEqual(['activation_failed', 'invalid_params'])
  expect(failures[500]?.error).toMatchObject({ issues: [{ path: 'members.0.email' }] })
  // Exactly the failed members can be added again.
  const again = await org.members.addAll(failures.map(({ item }) => item).filter(({ email }) => email))
  expect(again).toMatchObject({ created: 500, failed: 0 })
})

it('a member whom the service rejects keeps nobody else out', async () => {
  const { emulator, org } = emulatedOrg()
  const [ada, bo, cy] = people(3) as [NewMember, NewMember, NewMember]
  const invalid = { email: 'no address' }

  const { failures, ...counts } = await org.members.addAll([ada, invalid, bo, { ...cy, role: 'pilot' }])

  expect(counts).toEqual({ created: 2, skipped: 0, failed: 2 })
  expect(failures.map(({ item }) => item.email)).toEqual([invalid.email, cy.email])
  expect(emulator.requests.map(({ operation }) => operation)).toEqual(['members.add', 'members.add'])
})

it('await rejects if the signal aborts, and onProgress was called with the totals so far', async () => {
  const { emulator, org } = emulatedOrg()
  const controller = new AbortController()
  const progress: AddAllSummary[] = []

  const adding = org.members.addAll(everyone, {
    signal: controller.signal,
    onProgress: (sums) => {
      progress.push(sums)
      controller.abort()
    },
  })

  await expect(adding).rejects.toMatchObject({ name: 'AbortedError', operation: 'members.addAll' })
  await expect(adding.then()).rejects.toMatchObject({ name: 'AbortedError' })
  expect(progress).toEqual([{ created: 500, skipped: 0, failed: 0, failures: [] }])
  expect(emulator.requests).toHaveLength(1)
})

it('adds 1,234 members in three calls, and yields each result as it arrives', async () => {
  const { emulator, org } = emulatedOrg()

  const batches = await collect(org.members.addAll(everyone, { notify: false, invite: 'face' }))

  expect(batches.map(({ members }) => members.length)).toEqual([500, 500, 234])
  expect(batches.flatMap(({ members }) => members)).toEqual(everyone)
  expect(batches.flatMap(({ created }) => created.map(({ email }) => ({ email })))).toEqual(everyone)
  expect(batches.flatMap(({ created }) => created.filter((one) => one.activation_link === null))).toEqual([])
  expect(batches.map(({ outcome, skipped, notified }) => [outcome, skipped, notified])).toEqual(
    Array(3).fill(['added', [], false]),
  )
  for (const batch of batches) expect(batch).not.toHaveProperty('error')
  expect(emulator.requests.map(({ operation }) => operation)).toEqual(Array(3).fill('members.add'))
  expect((await org.members.list()).members).toHaveLength(1234)
})

it.each([
  [0, []],
  [1, [1]],
  [500, [500]],
  [501, [500, 1]],
  [1000, [500, 500]],
])('adds %i members in calls of %j', async (count, sizes) => {
  const { emulator, org } = emulatedOrg()
  const batches = await collect(org.members.addAll(people(count)))
  expect(batches.map(({ members }) => members.length)).toEqual(sizes)
  expect(emulator.requests).toHaveLength(sizes.length)
})

it.each([
  ['a failure', { status: 503 }, 'activation_failed', 503],
  ['a lost connection', { reset: true }, 'connection_failed', undefined],
])('reports the error of a batch after %s, and adds the others', async (_, fault, code, status) => {
  const { emulator, org } = emulatedOrg()
  const batches: AddAllItem[] = []
  const progress: AddAllSummary[] = []

  for await (const batch of org.members.addAll(everyone, {
    onProgress: (sums) => void progress.push(sums),
  })) {
    if (batches.length === 0)
      emulator.faults.add({ match: 'members.add', code: { unlisted: 'activation_failed' }, ...fault })
    batches.push(batch)
  }

  expect(batches.map(({ created }) => created.length)).toEqual([500, 0, 234])
  expect(batches[1]).toMatchObject({
    outcome: 'failed',
    created: [],
    skipped: [],
    notified: false,
    error: { code },
  })
  expect(batches[1]?.error).toMatchObject(status === undefined ? { mayHaveArrived: true } : { status })
  expect(batches[1]?.members).toEqual(everyone.slice(500, 1000))
  expect(progress).toMatchObject([
    { created: 500, skipped: 0, failed: 0 },
    { created: 500, skipped: 0, failed: 500 },
    { created: 734, skipped: 0, failed: 500 },
  ])
  expect(progress.at(-1)?.failures).toEqual(
    everyone.slice(500, 1000).map((item) => ({ item, error: batches[1]?.error })),
  )
  // A failed batch can be added again, because members that were added are skipped.
  const again = await collect(org.members.addAll(batches[1]?.members ?? []))
  expect(again.map(({ created }) => created.length)).toEqual([500])
})

it('reports skipped and reactivated members', async () => {
  const { org } = emulatedOrg({
    members: [{ email: 'person1@example.com' }, { email: 'person2@example.com', status: 'deactivated' }],
  })
  const sums: AddAllSummary[] = []

  const [batch] = await collect(org.members.addAll(people(3), { onProgress: (one) => void sums.push(one) }))

  expect(batch?.skipped).toEqual([{ email: 'person1@example.com', reason: 'duplicate' }])
  expect(batch?.created.map(({ reactivated }) => reactivated)).toEqual([undefined, true])
  expect(sums).toEqual([{ created: 2, skipped: 1, failed: 0, failures: [] }])
})

it('reads an async iterable only as far as the next call requires', async () => {
  const { emulator, org } = emulatedOrg()
  const seen: number[] = []
  async function* stream(): AsyncGenerator<NewMember> {
    for (const [i, person] of everyone.entries()) {
      if (i % 500 === 0) seen.push(emulator.requests.length)
      yield person
    }
  }

  const batches = await collect(org.members.addAll(stream()))

  expect(batches).toHaveLength(3)
  expect(seen).toEqual([0, 1, 2])
})

it('leaving the loop closes the source and sends no more calls', async () => {
  const { emulator, org } = emulatedOrg()
  let closed = false
  function* endless(): Generator<NewMember> {
    try {
      for (let i = 0; ; i++) yield { email: `person${i}@example.com` }
    } finally {
      closed = true
    }
  }

  for await (const batch of org.members.addAll(endless())) {
    expect(batch.created).toHaveLength(500)
    break
  }

  expect(closed).toBe(true)
  expect(emulator.requests).toHaveLength(1)
})

it('throws the error of its source, after the batches before it', async () => {
  const { emulator, org } = emulatedOrg()
  function* broken(): Generator<NewMember> {
    yield* people(500)
    throw new RangeError('the file is cut off')
  }
  const batches: AddAllItem[] = []
  const all = async () => {
    for await (const batch of org.members.addAll(broken())) batches.push(batch)
  }

  await expect(all()).rejects.toThrow(RangeError)
  expect([batches.length, emulator.requests.length]).toEqual([1, 1])
})

it('an abort between two calls prevents further calls', async () => {
  const { emulator, org } = emulatedOrg()
  const controller = new AbortController()
  const all = async () => {
    for await (const _ of org.members.addAll(everyone, { signal: controller.signal }))
      controller.abort(new Error('enough'))
  }

  await expect(all()).rejects.toMatchObject({
    name: 'AbortedError',
    operation: 'members.addAll',
    cause: { message: 'enough' },
  })
  expect(emulator.requests).toHaveLength(1)
})

it('an abort during a call ends that call and prevents further calls', async () => {
  const controller = new AbortController()
  const { fetch, requests: given } = scriptedFetch(
    succeed({ created: [], skipped: [], notified: true }),
    hangThen(() => queueMicrotask(() => controller.abort())),
  )
  const { org } = testOrg({ fetch })

  await expect(collect(org.members.addAll(everyone, { signal: controller.signal }))).rejects.toMatchObject({
    name: 'AbortedError',
    mayHaveArrived: true,
  })
  expect(given).toHaveLength(2)
})

it('reads nothing if the signal is already aborted', async () => {
  const { emulator, org } = emulatedOrg()
  let read = 0
  function* counted() {
    for (const person of people(3)) {
      read += 1
      yield person
    }
  }

  const all = collect(org.members.addAll(counted(), { signal: AbortSignal.abort() }))

  await expect(all).rejects.toMatchObject({ name: 'AbortedError', mayHaveArrived: false })
  expect([read, emulator.requests.length]).toEqual([0, 0])
})

it('an abort stops reading an endless stream', async () => {
  const { org } = emulatedOrg()
  const controller = new AbortController()
  async function* endless(): AsyncGenerator<NewMember> {
    for (let i = 0; ; i++) {
      if (i === 7) controller.abort()
      if (i === 9) throw new Error('read after the abort')
      yield { email: `person${i}@example.com` }
    }
  }

  const all = collect(org.members.addAll(endless(), { signal: controller.signal }))

  await expect(all).rejects.toMatchObject({ name: 'AbortedError' })
})

const bulk = [
  ['members.addAll', 'members', (org: OrgClient, from: never, options = {}) => org.members.addAll(from, options)],
  ['members.inviteAll', 'ids', (org: OrgClient, from: never, options = {}) => org.members.inviteAll(from, options)],
] as const

it.each(bulk)('%s rejects %s that cannot be iterated', async (operation, path, call) => {
  const { emulator, org } = emulatedOrg()
  for (const from of [undefined, null, 5, 'ada@example.com', { email: 'ada@example.com' }])
    await expect(collect<unknown>(call(org, from as never))).rejects.toMatchObject({
      name: 'InvalidParamsError',
      operation,
      issues: [{ path }],
    })
  expect(emulator.requests).toEqual([])
})

it.each(bulk)('%s yields every item even if onProgress throws or rejects', async (_, __, call) => {
  const { org } = emulatedOrg({ members: people(2) })
  const fail = () => {
    throw new Error('the progress bar is closed')
  }
  for (const onProgress of [fail, async () => fail()])
    expect(await collect<unknown>(call(org, people(2) as never, { onProgress }))).not.toEqual([])
})

it('yields empty batches for responses in an unexpected shape', async () => {
  const { fetch } = scriptedFetch(succeed({}), succeed(null), succeed({ created: [], skipped: [], notified: true }))
  const { org } = testOrg({ fetch })
  expect(await collect(org.members.addAll(everyone))).toMatchObject([
    { created: [], skipped: [] },
    { created: [], skipped: [] },
    { created: [], skipped: [], notified: true },
  ])
})

it('passes the options of the caller to every call', async () => {
  const { fetch, requests: given } = scriptedFetch(breakConnection)
  const { org } = testOrg({ fetch })
  const options = { headers: { 'x-note': 'import' }, invite: 'email', notify: false } as const
  await collect(org.members.addAll(people(501), options))
  expect(given.map(({ headers }) => headers.get('x-note'))).toEqual(['import', 'import'])
  const bodies = given.map(({ body }) => JSON.parse(new TextDecoder().decode(body)))
  expect(bodies).toMatchObject(Array(2).fill({ invite: 'email', notify: false }))
})

it('a member who is left out for another reason than a duplicate is a failure, and not skipped', async () => {
  const skipped = [
    { email: 'PERSON1@example.com', reason: 'duplicate' },
    { email: 'person0@example.com', reason: 'unlisted_reason' },
  ]
  const { fetch } = scriptedFetch(succeed({ created: [], skipped, notified: false }))

  const totals = await testOrg({ fetch }).org.members.addAll(people(2))

  expect(totals).toMatchObject({ created: 0, skipped: 1, failed: 1 })
  expect(totals.failures).toMatchObject([
    { item: { email: 'person0@example.com' }, error: { name: 'InvalidParamsError', attempts: 1 } },
  ])
})

import { expect, it } from 'vitest'
import { StoreError, type VerificationManager } from '../../../src/index.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientWith, eventFor, hourMs, managed, storeWith, subject } from './managed.ts'

const options = { maxRetries: 0, headers: { 'x-tenant': 'blue' } }
const note = { status: 'APPROVED', by: 'agent-7', reason: 'The photo was altered' } as const

/** A manager of a person in review, and the options with which each method of the sessions was called. */
async function inReview() {
  const made = managed()
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'IN_REVIEW')
  await made.manager().handle(eventFor(id))
  made.passTime(3_600_000)
  const given: [method: string, options: unknown][] = []
  const { sessions } = made.client()
  const client = clientWith(made.client(), {
    decision: (session, request) => {
      given.push(['decision', request])
      return sessions.decision(session, request)
    },
    updateStatus: (session, params, request) => {
      given.push(['updateStatus', request])
      return sessions.updateStatus(session, params, request)
    },
  })
  return { manager: made.manager({ client }), id, given }
}

it.each<[method: string, run: (of: Awaited<ReturnType<typeof inReview>>) => PromiseLike<unknown>, requests: string[]]>([
  ['refresh', ({ manager }) => manager.refresh(subject, options), ['decision']],
  [
    'review',
    ({ manager, id }) => manager.review(subject, { ...note, sessionId: id }, options),
    ['updateStatus', 'decision'],
  ],
  // Only the options among the members of its context.
  [
    'handle',
    ({ manager, id }) => manager.handle(eventFor(id), { ...options, tx: 'a transaction' } as typeof options),
    ['decision'],
  ],
  // The signal ends the work, and no request.
  [
    'reconcile',
    ({ manager }) => manager.reconcile({ ...options, signal: new AbortController().signal, olderThanMs: 0 }),
    ['decision'],
  ],
])('%s passes its options to each request', async (_, run, requests) => {
  const made = await inReview()

  await run(made)

  expect(made.given).toEqual(requests.map((request) => [request, options]))
})

it.each([0, -5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5000', null])(
  'handle rejects the deadlineMs %s, as each call does',
  async (deadlineMs) => {
    const { manager, id } = await inReview()

    const handled = manager.handle(eventFor(id), { deadlineMs } as object)

    expect(await thrownBy(handled)).toMatchObject({ name: 'InvalidParamsError', operation: 'verifications.handle' })
  },
)

type Call = (verifications: VerificationManager, id: string, options: object) => PromiseLike<unknown>

it.each<[string, Call]>([
  ['start', (verifications, _, options) => verifications.start('another', {}, options)],
  ['refresh', (verifications, _, options) => verifications.refresh(subject, options)],
  ['handle', (verifications, id, options) => verifications.handle(eventFor(id), options)],
  ['review', (verifications, sessionId, options) => verifications.review(subject, { sessionId, ...note }, options)],
])('%s tries a write that fails again, but not after its deadlineMs', async (_, call) => {
  const made = managed()
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'IN_REVIEW')
  let writes = 0
  const silent = storeWith(made.store, {
    lists: {
      ...made.store.lists,
      replace: async (key, from, to) => {
        // The intent of a start or of a review is stored.
        if (/"start":\{|"reviews":\[\{/.test(to.value ?? '')) return made.store.lists.replace(key, from, to)
        writes++
        made.passTime(5_000)
        throw new StoreError({ message: 'silent', mayHaveHappened: true })
      },
    },
  })
  const triesWith = async (options: object) => {
    writes = 0
    await thrownBy(call(made.manager({ store: silent }), id, options))
    return writes
  }

  expect(await triesWith({ deadlineMs: 3_000 })).toBe(1)
  made.passTime(hourMs)
  expect(await triesWith({})).toBe(3)
})

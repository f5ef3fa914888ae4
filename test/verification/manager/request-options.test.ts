import { expect, it } from 'vitest'
import { clientWith, eventFor, managed, subject } from './managed.ts'

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

it('refresh passes its options to each request', async () => {
  const { manager, given } = await inReview()

  await manager.refresh(subject, options)

  expect(given).toEqual([['decision', options]])
})

it('review passes its options to each request', async () => {
  const { manager, id, given } = await inReview()

  await manager.review(subject, { ...note, sessionId: id }, options)

  expect(given).toEqual([
    ['updateStatus', options],
    ['decision', options],
  ])
})

it('handle passes the options among the members of its context to the request', async () => {
  const { manager, id, given } = await inReview()

  await manager.handle(eventFor(id), { ...options, tx: 'a transaction' } as typeof options)

  expect(given).toEqual([['decision', options]])
})

it('reconcile passes its options to each request, except the signal, which ends the work', async () => {
  const { manager, given } = await inReview()
  const { signal } = new AbortController()

  await manager.reconcile({ ...options, signal, olderThanMs: 0 })

  expect(given).toEqual([['decision', options]])
})

it.each(['refresh', 'review'] as const)(
  '%s rejects a misspelled option and sends nothing',
  async (method) => {
    const { manager, id, given } = await inReview()
    const misspelled = { timeoutMS: 1 } as object
    const call = {
      refresh: () => manager.refresh(subject, misspelled),
      review: () => manager.review(subject, { ...note, sessionId: id }, misspelled),
    }

    await expect(call[method]()).rejects.toMatchObject({ issues: [{ path: 'timeoutMS' }] })
    expect(given).toEqual([])
  },
)

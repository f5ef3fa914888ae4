import { expect, expectTypeOf, it, vi } from 'vitest'
import { expressWebhook } from '../../src/express.ts'
import { fastifyWebhook } from '../../src/fastify.ts'
import {
  ConfigurationError,
  createEventProcessor,
  createWebhookHandler,
  type EventConsumer,
  type EventInbox,
  memoryStore,
  StoreError,
  type WebhookEvent,
} from '../../src/webhooks.ts'
import { aDelivery, anEvent, clockAt, secret, signedAt } from '../support/webhook.ts'

const anEventOf = (more: object = {}) => anEvent(more) as unknown as WebhookEvent

/** What a callback writes through in these tests. */
interface Rows {
  insert(row: string): void
}

/** An inbox in memory, whose transactions end one at a time. */
function anInbox() {
  const committed = { keys: new Map<string, number>(), rows: [] as string[] }
  const open = new Set<string>()
  const lost = new AbortController()
  const inbox: EventInbox<Rows> = {
    async process({ key, retainMs }, work) {
      if (committed.keys.has(key)) return 'duplicate'
      if (open.has(key)) return 'in_progress'
      open.add(key)
      const rows: string[] = []
      try {
        await work({ tx: { insert: (row) => void rows.push(row) }, signal: lost.signal })
      } finally {
        open.delete(key)
      }
      committed.keys.set(key, retainMs)
      committed.rows.push(...rows)
      return 'processed'
    },
  }
  return { inbox, committed, lost }
}

const insertId = {
  'verification.approved': ({ event_id }: WebhookEvent, { tx }: { readonly tx: Rows }) => tx.insert(event_id),
}

it('commits what a callback writes through tx together with the record of the event, once', async () => {
  const { inbox, committed } = anInbox()
  const processor = createEventProcessor({ inbox, on: insertId, retainMs: 5_000 })
  expect(await processor.process(anEventOf())).toMatchObject({ status: 200, outcome: 'processed' })
  expect(await processor.process(anEventOf())).toMatchObject({ status: 200, outcome: 'duplicate' })
  expect(committed.rows).toEqual(['evt_1'])
  expect([...committed.keys]).toEqual([['webhook:evt_1', 5_000]])
})

it('a handler uses an inbox too, with the name in the key', async () => {
  const { inbox, committed } = anInbox()
  const settings = { secret, now: clockAt(signedAt), inbox, on: insertId }
  expect(await createWebhookHandler({ ...settings, name: 'mails' }).handle(await aDelivery())).toMatchObject({
    outcome: 'processed',
  })
  expect([...committed.keys.keys()]).toEqual(['webhook-mails:evt_1'])
})

it('rolls back what consumers and callbacks wrote if one of them throws, and the event can come again', async () => {
  const { inbox, committed } = anInbox()
  let calls = 0
  const consumer: EventConsumer<Rows> = { handle: (_, { tx }) => tx.insert('consumer') }
  const errors: unknown[] = []
  const boom = new Error('boom')
  const processor = createEventProcessor({
    inbox,
    consumers: [consumer],
    on: {
      'verification.approved': (_, { tx }) => {
        tx.insert('callback')
        if (++calls === 1) throw boom
      },
    },
    onError: (error) => void errors.push(error),
  })
  expect(await processor.process(anEventOf())).toMatchObject({ status: 500, outcome: 'failed', error: boom })
  expect(committed.rows).toEqual([])
  expect(errors).toEqual([boom])
  expect(await processor.process(anEventOf())).toMatchObject({ outcome: 'processed' })
  expect(committed.rows).toEqual(['consumer', 'callback'])
})

it('passes tx to onUnhandled and onTestEvent too', async () => {
  const { inbox, committed } = anInbox()
  const processor = createEventProcessor({
    inbox,
    onUnhandled: (_, { tx }) => tx.insert('unhandled'),
    onTestEvent: (_, { tx }) => tx.insert('test'),
  })
  expect(await processor.process(anEventOf())).toMatchObject({ outcome: 'unhandled' })
  expect(await processor.process(anEventOf({ event_id: 'evt_2', test: true }))).toMatchObject({
    outcome: 'test',
  })
  expect(committed.rows).toEqual(['unhandled', 'test'])
})

it('responds with 503 and Retry-After to an event whose transaction is open', async () => {
  const { inbox } = anInbox()
  let finish = () => {}
  const running = new Promise<void>((resolve) => {
    finish = resolve
  })
  const processor = createEventProcessor({ inbox, on: { 'verification.approved': () => running } })
  const first = processor.process(anEventOf())
  expect(await processor.process(anEventOf())).toMatchObject({
    status: 503,
    outcome: 'in_progress',
    headers: { 'retry-after': '5' },
  })
  finish()
  expect(await first).toMatchObject({ outcome: 'processed' })
})

it.each([
  ['a StoreError', new StoreError({ message: 'the database is down' }), 503],
  ['another error', new Error('the callback ended the transaction'), 500],
])('returns %s of an inbox as failed, and reports it', async (_, error, status) => {
  const printed = vi.spyOn(console, 'error').mockReturnValue()
  const inbox: EventInbox<Rows> = {
    async process(_entry, work) {
      await work({ tx: { insert: () => {} }, signal: new AbortController().signal })
      throw error
    },
  }
  const processor = createEventProcessor({ inbox, on: insertId })
  expect(await processor.process(anEventOf())).toMatchObject({ status, outcome: 'failed', error })
  expect(printed.mock.calls.join()).toContain('the transaction of verification.approved failed')
})

it('runs no further step after the signal of an inbox aborts', async () => {
  const { inbox, committed, lost } = anInbox()
  const reason = new StoreError({ message: 'the connection of the transaction was lost' })
  const consumer: EventConsumer<Rows> = { handle: () => lost.abort(reason) }
  const processor = createEventProcessor({ inbox, consumers: [consumer], on: insertId, onError: () => {} })
  expect(await processor.process(anEventOf())).toMatchObject({
    status: 503,
    outcome: 'failed',
    error: reason,
  })
  expect(committed.rows).toEqual([])
})

it('rejects a store together with an inbox, and an inbox without process', () => {
  const { inbox } = anInbox()
  const create = (options: object) => () => createEventProcessor({ onTestEvent: () => {}, ...options })
  expect(create({ inbox, store: memoryStore() })).toThrow(ConfigurationError)
  expect(create({ inbox, store: memoryStore() })).toThrow('store and inbox must not be passed together')
  expect(create({ inbox: {} })).toThrow('inbox must be an inbox, such as postgresInbox(pool): it has no method process')
  const both: object = { inbox, store: memoryStore() }
  expect(() => createWebhookHandler({ secret, onTestEvent: () => {}, ...both })).toThrow(ConfigurationError)
})

it('types the context of callbacks from the inbox', () => {
  const { inbox } = anInbox()
  const forAny: EventConsumer = { handle: (_, { signal }) => signal.throwIfAborted() }
  const forRows: EventConsumer<Rows> = { handle: (_, { tx }) => tx.insert('row') }
  const on = {
    'verification.approved': (_: WebhookEvent, { tx }: { readonly tx: Rows }) => tx.insert('row'),
  }
  createEventProcessor({
    inbox,
    consumers: [forAny, forRows],
    on: {
      'verification.declined': (_, context) => {
        expectTypeOf(context).toEqualTypeOf<{ readonly tx: Rows; readonly signal: AbortSignal }>()
      },
    },
    onUnhandled: (_, { tx }) => tx.insert('row'),
    onTestEvent: (_, { tx, signal }) => !signal.aborted && tx.insert('row'),
  })
  createWebhookHandler({ secret, inbox, consumers: [forRows], on })
  expressWebhook({ secret, inbox, on: { 'verification.approved': (_, { tx }) => tx.insert('row') } })
  expectTypeOf(fastifyWebhook<Rows>)
    .parameter(1)
    .toHaveProperty('inbox')
  // @ts-expect-error there is no tx without an inbox
  createEventProcessor({ on, onUnhandled: (_, { tx }) => tx })
  // @ts-expect-error a consumer that needs a transaction needs an inbox
  createEventProcessor({ consumers: [forRows] })
})

import { expect, expectTypeOf, it, vi } from 'vitest'
import { timing } from '../../../src/runtime/timing.ts'
import {
  ConfigurationError,
  createEventProcessor,
  createWebhookHandler,
  type EventConsumer,
  type EventProcessorOptions,
  memoryStore,
  StoreError,
  verifyWebhook,
  type WebhookEvent,
} from '../../../src/webhooks.ts'
import { manualClock } from '../../support/timing.ts'
import { aDelivery, anEvent, clockAt, secret, signedAt } from '../../support/webhook.ts'

const anEventOf = (more: object = {}) => anEvent(more) as unknown as WebhookEvent

function aProcessor(options: Partial<EventProcessorOptions> = {}) {
  const handled: string[] = []
  const errors: unknown[] = []
  const settings = {
    on: { 'verification.approved': (event: WebhookEvent) => void handled.push(event.event_id) },
    onError: (error: unknown) => void errors.push(error),
    ...options,
    [timing]: manualClock().timing,
  }
  return { processor: createEventProcessor(settings as EventProcessorOptions), handled, errors }
}

it('process runs the callback of an event once, and returns the results of a handler', async () => {
  const { processor, handled } = aProcessor()
  const event = anEventOf()
  expect(await processor.process(event)).toEqual({ status: 200, outcome: 'processed', event, headers: {} })
  expect(await processor.process(event)).toEqual({ status: 200, outcome: 'duplicate', event, headers: {} })
  expect(handled).toEqual(['evt_1'])
})

it('processes an event of any age, also after a queue serialized it', async () => {
  const event = await verifyWebhook({ ...(await aDelivery()), secret, now: clockAt(signedAt) })
  const { processor, handled } = aProcessor()
  expect(await processor.process(JSON.parse(JSON.stringify(event)))).toMatchObject({ outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
})

it('runs one callback for one event, over handlers and processors that share a store', async () => {
  const store = memoryStore()
  const { processor, handled } = aProcessor({ store })
  const on = { 'verification.approved': ({ event_id }: WebhookEvent) => void handled.push(event_id) }
  const handler = createWebhookHandler({ secret, now: clockAt(signedAt), store, on })
  expect(await handler.handle(await aDelivery())).toMatchObject({ outcome: 'processed' })
  expect(await processor.process(anEventOf())).toMatchObject({ outcome: 'duplicate' })
  expect(handled).toEqual(['evt_1'])
})

it("responds 500 to a callback that throws another of the package's errors than that of a store", async () => {
  const on = { 'verification.approved': () => Promise.reject(new ConfigurationError({ message: 'no key' })) }
  expect(await aProcessor({ on }).processor.process(anEventOf())).toMatchObject({ status: 500 })
})

it('asks the store only once for an event that another process is handling', async () => {
  const store = memoryStore()
  await store.set('webhook:evt_1', 'claim:another')
  const set = vi.spyOn(store, 'set')
  const { processor } = aProcessor({ store })
  expect(await processor.process(anEventOf())).toMatchObject({ outcome: 'in_progress' })
  expect(set).toHaveBeenCalledTimes(1)
})

it.each([
  ['null', null, 'it is not a JSON object'],
  ['a text', 'evt_1', 'it is not a JSON object'],
  ['an array', [anEvent()], 'it is not a JSON object'],
  ['an event without an id', { type: 'verification.approved', session_id: 'sess_1' }, 'event_id is required'],
  ['an unknown decision', anEvent({ decision: { decision: 'MAYBE' } }), 'decision.decision must be "APPROVED"'],
])('process rejects %s with status 400, and reports why', async (_, event, fault) => {
  const { processor, handled, errors } = aProcessor()
  const result = await processor.process(event as never)
  expect(result).toMatchObject({
    status: 400,
    outcome: 'rejected',
    error: { name: 'WebhookVerificationError', reason: 'invalid_payload' },
    headers: {},
  })
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining(fault) })])
  expect(handled).toEqual([])
})

it('process returns what failed, and never rejects', async () => {
  const boom = new Error('boom')
  const failing = () => Promise.reject(boom)
  const { processor, errors } = aProcessor({ on: { 'verification.approved': failing }, onTestEvent: failing })
  expect(await processor.process(anEventOf())).toMatchObject({ status: 500, outcome: 'failed', error: boom })
  expect(await processor.process(anEventOf({ event_id: 'evt_2', test: true }))).toMatchObject({ status: 500 })
  const down = aProcessor({ store: { ...memoryStore(), set: failing } })
  expect(await down.processor.process(anEventOf())).toMatchObject({ status: 503, outcome: 'failed' })
  expect(errors).toEqual([boom, boom])
})

it('process works as a function on its own, and passes test and unhandled events as a handler does', async () => {
  const seen: string[] = []
  const { process } = aProcessor({
    onTestEvent: () => void seen.push('test'),
    onUnhandled: () => void seen.push('unhandled'),
  }).processor
  expect(await process(anEventOf({ test: true }))).toMatchObject({ outcome: 'test' })
  expect(await process(anEventOf({ event_id: 'evt_2', type: 'verification.later' }))).toMatchObject({
    outcome: 'unhandled',
  })
  expect(seen).toEqual(['test', 'unhandled'])
})

/** A consumer that writes its calls to a list. */
const recorder = (seen: string[], name: string): EventConsumer => ({
  handle: ({ event_id }) => void seen.push(`${name} ${event_id}`),
})

it('runs consumers before the callback, one after another, once for each event', async () => {
  const seen: string[] = []
  const slow: EventConsumer = {
    async handle() {
      await Promise.resolve()
      seen.push('slow')
    },
  }
  const { processor } = aProcessor({
    consumers: [slow, recorder(seen, 'second')],
    on: { 'verification.approved': () => void seen.push('callback') },
  })
  expect(await processor.process(anEventOf())).toMatchObject({ outcome: 'processed' })
  expect(await processor.process(anEventOf())).toMatchObject({ outcome: 'duplicate' })
  expect(seen).toEqual(['slow', 'second evt_1', 'callback'])
})

it('has the outcome processed, not unhandled, for an event that only consumers handled', async () => {
  const seen: string[] = []
  const onUnhandled = vi.fn()
  const { processor } = aProcessor({ on: undefined, consumers: [recorder(seen, 'consumer')], onUnhandled })
  const event = anEventOf({ type: 'verification.later' })
  expect(await processor.process(event)).toMatchObject({ status: 200, outcome: 'processed' })
  expect(await processor.process(event)).toMatchObject({ outcome: 'duplicate' })
  expect(seen).toEqual(['consumer evt_1'])
  expect(onUnhandled).not.toHaveBeenCalled()
  const none = aProcessor({ consumers: [], onUnhandled })
  expect(await none.processor.process(event)).toMatchObject({ outcome: 'unhandled' })
})

it('passes no test event to consumers', async () => {
  const seen: string[] = []
  const { processor } = aProcessor({ consumers: [recorder(seen, 'consumer')] })
  expect(await processor.process(anEventOf({ test: true }))).toMatchObject({ outcome: 'test' })
  expect(await processor.process(anEventOf({ session_id: 'sess_test_1' }))).toMatchObject({ outcome: 'test' })
  expect(seen).toEqual([])
})

it.each([
  ['an error', new Error('boom'), 500, {}],
  ['a StoreError', new StoreError({ message: 'down' }), 503, { 'retry-after': '5' }],
])(
  'an event whose consumer throws %s fails, runs no callback, and can come again',
  async (_, error, status, headers) => {
    let calls = 0
    const consumer: EventConsumer = {
      handle() {
        if (++calls === 1) throw error
      },
    }
    const { processor, handled, errors } = aProcessor({ consumers: [consumer] })
    expect(await processor.process(anEventOf())).toMatchObject({ status, outcome: 'failed', error, headers })
    expect(handled).toEqual([])
    expect(errors).toEqual([error])
    expect(await processor.process(anEventOf())).toMatchObject({ status: 200, outcome: 'processed' })
    expect(handled).toEqual(['evt_1'])
  },
)

it('calls a consumer as a method, and names it if it fails', async () => {
  class Audit {
    readonly failure = new Error('boom')
    handle() {
      throw this.failure
    }
  }
  const printed = vi.spyOn(console, 'error').mockReturnValue()
  const processor = createEventProcessor({ consumers: [new Audit()] })
  expect(await processor.process(anEventOf())).toMatchObject({ status: 500 })
  expect(printed.mock.calls.join()).toContain('consumers[0] for verification.approved failed: Error: boom')
})

it('handlers of different names handle one event each, and those of one name share it', async () => {
  const store = memoryStore()
  const accounts = aProcessor({ store, name: 'accounts' })
  const mails = aProcessor({ store, name: 'mails' })
  const mailsElsewhere = aProcessor({ store, name: 'mails' })
  const unnamed = aProcessor({ store })
  for (const { processor } of [accounts, mails, unnamed])
    expect(await processor.process(anEventOf())).toMatchObject({ outcome: 'processed' })
  for (const { processor } of [mailsElsewhere, aProcessor({ store })])
    expect(await processor.process(anEventOf())).toMatchObject({ outcome: 'duplicate' })
})

it.each([
  [
    {},
    'on must be an object of callbacks, such as { "verification.approved": async (event) => {} }. ' +
      'It can be omitted only if you pass consumers, onUnhandled or onTestEvent.',
  ],
  [{ on: null }, 'on must be an object of callbacks'],
  [
    { onTestEvent: () => {}, consumers: [{}] },
    'consumers[0] must be an EventConsumer, such as a verification manager: it has no',
  ],
  [{ onTestEvent: () => {}, consumers: [undefined] }, 'consumers[0] is missing: pass an EventConsumer'],
  [{ onTestEvent: () => {}, consumers: {} }, 'consumers must be an array'],
  [{ onTestEvent: () => {}, name: '' }, 'name must have 1 to 64 letters'],
  [{ onTestEvent: () => {}, name: 'a:b' }, 'name must have 1 to 64 letters'],
  [{ onTestEvent: () => {}, name: 7 }, 'name must have 1 to 64 letters'],
  [{ onTestEvent: () => {}, retainMs: 0 }, 'retainMs must be a whole number of milliseconds, 1 or more'],
])('createEventProcessor rejects %j, and says what is wrong', (options, message) => {
  const create = () => createEventProcessor(options as EventProcessorOptions)
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(message)
})

it('needs no on if consumers, onUnhandled or onTestEvent are passed', () => {
  expect(() => createEventProcessor({ consumers: [{ handle: () => {} }] })).not.toThrow()
  expect(() => createEventProcessor({ onUnhandled: () => {} })).not.toThrow()
  expect(() => createEventProcessor({ onTestEvent: () => {} })).not.toThrow()
})

it.each<[what: string, options: EventProcessorOptions]>([
  ['an empty on', { on: {} }],
  ['an on whose callbacks are undefined', { on: { 'verification.approved': undefined } }],
  ['no consumers', { consumers: [] }],
  ['an empty on, no consumers and onError', { on: {}, consumers: [], onError: () => {} }],
])('rejects options with nothing to call: %s', (_, options) => {
  const fault = 'nothing would be called: pass a callback in on, a consumer, onUnhandled or onTestEvent. '
  expect(() => createEventProcessor(options)).toThrow(`createEventProcessor: ${fault}`)
  const handlerOptions = { secret: 'secret', ...options }
  expect(() => createWebhookHandler(handlerOptions)).toThrow(`createWebhookHandler: ${fault}`)
})

it('reads the options once', async () => {
  const seen: string[] = []
  const consumers = [recorder(seen, 'first')]
  const { processor } = aProcessor({ consumers })
  consumers[0] = recorder(seen, 'second')
  await processor.process(anEventOf())
  expect(seen).toEqual(['first evt_1'])
})

it('types the event of a callback by its key, and the context as a signal', () => {
  createEventProcessor({
    on: {
      'verification.approved': (event, context) => {
        expectTypeOf(event.type).toEqualTypeOf<'verification.approved'>()
        expectTypeOf(context).toEqualTypeOf<{ readonly signal: AbortSignal }>()
      },
    },
  })
})

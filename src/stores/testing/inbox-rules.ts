import { isSdkError } from '../../errors/any-sdk-error.ts'
import { realTiming } from '../../runtime/timing.ts'
import { expectOutcome, type ProbedInbox } from './probed-inbox.ts'
import { hostileTexts, longTexts } from './texts.ts'

/** Rejects if the inbox breaks the rule. */
type InboxRule = (inbox: ProbedInbox<unknown>) => Promise<void>

/** Deliveries at the same time. Each may take a connection, and a pool often has ten. */
const many = 8

/** The rules by name. */
export const inboxRules: Readonly<Record<string, InboxRule>> = {
  async 'commits what a callback writes'(inbox) {
    const event = inbox.event()
    await inbox.delivers(event, 0, ['processed'], async (tx, signal) => {
      if (!(signal instanceof AbortSignal) || signal.aborted)
        throw new Error('the callback got no signal, or an aborted one')
      await inbox.write(tx, event)
    })
    await inbox.hasEffects(event, 1)
  },

  async 'runs no callback for an event that was committed'(inbox) {
    const event = inbox.event()
    await inbox.delivers(event, 0, ['processed'])
    for (const process of [0, 1] as const) await inbox.delivers(event, process, ['duplicate'])
    if (inbox.calls(event) !== 1) throw new Error('the callback of a duplicate ran')
    await inbox.hasEffects(event, 1)
  },

  async 'rolls everything back if a callback throws, and rejects with its error'(inbox) {
    const event = inbox.event()
    const error = new Error('the callback failed')
    const thrown = await inbox.fails(event, 'its callback threw', async (tx) => {
      await inbox.write(tx, event)
      throw error
    })
    if (thrown !== error) throw new Error(`process rejected with another error: ${String(thrown)}`)
    if (inbox.calls(event) !== 1) throw new Error('the callback ran more than once')
    await inbox.hasEffects(event, 0)
    await inbox.delivers(event, 1, ['processed'])
    await inbox.hasEffects(event, 1)
  },

  async 'runs one callback of an event that is delivered many times at once'(inbox) {
    const event = inbox.event()
    const outcomes = await Promise.all(
      Array.from({ length: many }, (_, i) => inbox.deliver(event, i % 2 === 0 ? 0 : 1)),
    )
    const processed = outcomes.filter((outcome) => outcome === 'processed').length
    if (processed !== 1 || inbox.calls(event) !== 1)
      throw new Error(`${inbox.calls(event)} callbacks ran, and ${processed} of ${many} deliveries were 'processed'`)
    await inbox.hasEffects(event, 1)
    await inbox.delivers(event, 0, ['duplicate'])
  },

  async 'reports an event as in progress while another process runs its callback'(inbox) {
    const event = inbox.event()
    const first = await inbox.running(event)
    try {
      await inbox.delivers(event, 1, ['in_progress'])
    } finally {
      first.end()
    }
    expectOutcome(event, await first.ends, ['processed'])
    await inbox.hasEffects(event, 1)
  },

  async 'reports no event as a duplicate before it is committed'(inbox) {
    const event = inbox.event()
    const first = await inbox.running(event)
    const second = inbox.deliver(event, 1)
    second.catch(() => {})
    await realTiming.sleep(100, undefined)
    first.fail(new Error('the callback failed'))
    await first.ends.catch(() => {})
    expectOutcome(event, await second, ['processed', 'in_progress'])
    await inbox.isOnceAfterRetry(event)
  },

  async 'processes other events while a callback runs'(inbox) {
    const event = inbox.event()
    const first = await inbox.running(event)
    try {
      for (const process of [0, 1] as const) await inbox.delivers(inbox.event(), process, ['processed'])
    } finally {
      first.end()
    }
    expectOutcome(event, await first.ends, ['processed'])
  },

  async 'distinguishes any two keys'(inbox) {
    const events = [...hostileTexts, ...longTexts].map(inbox.event)
    for (const event of events) await inbox.delivers(event, 0, ['processed'], () => {})
    for (const event of events) await inbox.delivers(event, 0, ['duplicate'], () => {})
  },

  async 'rejects with a StoreError if the connection is lost, and leaves the event to the next delivery'(inbox) {
    const event = inbox.event()
    const error = await inbox.fails(event, 'its connection was lost', async (tx) => {
      await inbox.write(tx, event)
      await inbox.disconnect(tx)
    })
    if (!isSdkError(error) || error.code !== 'store_failed')
      throw new Error(`process rejected with another error: ${String(error)}`)
    await inbox.hasEffects(event, 0)
    await inbox.delivers(event, 1, ['processed'])
    await inbox.hasEffects(event, 1)
  },

  async 'rejects if a callback commits, and leaves its effects once'(inbox) {
    const event = inbox.event()
    await inbox.fails(event, 'its callback ended the transaction', async (tx) => {
      await inbox.write(tx, event)
      await inbox.query(tx, 'COMMIT')
    })
    await inbox.isOnceAfterRetry(event)
  },

  async 'rejects if a callback rolls back, and leaves the event to the next delivery'(inbox) {
    const event = inbox.event()
    await inbox.fails(event, 'its callback ended the transaction', async (tx) => {
      await inbox.write(tx, event)
      await inbox.query(tx, 'ROLLBACK')
    })
    await inbox.delivers(event, 1, ['processed'])
    await inbox.hasEffects(event, 1)
  },

  async 'loses no effect of a callback that ignores the error of a statement'(inbox) {
    const event = inbox.event()
    // Some engines then roll the transaction back, also if they are asked to commit.
    await inbox
      .deliver(event, 0, async (tx) => {
        await inbox.write(tx, event)
        await inbox.query(tx, 'THIS IS NOT A STATEMENT')
      })
      .catch(() => {})
    await inbox.isOnceAfterRetry(event)
  },
}

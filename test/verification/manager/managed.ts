import { setImmediate } from 'node:timers/promises'
import { createEmulator, type EmulatorOptions } from '../../../src/emulator.ts'
import {
  createVerificationManager,
  memoryStore,
  type ScannableStore,
  type Store,
  type VerificationChange,
  VerificationClient,
  type VerificationClientOptions,
  type VerificationManager,
  type VerificationManagerOptions,
  type VerificationSessions,
  type WebhookEvent,
} from '../../../src/index.ts'
import { timing } from '../../../src/runtime/timing.ts'
import type { ListingStore, StoreLists } from '../../../src/stores/store.ts'
import { noRecord } from '../../../src/verification/manager/record.ts'
import { manualClock } from '../../support/timing.ts'

export const subject = 'user-42'
export const recordKey = `verification:default:${subject}`
export const runKey = (run: string) => `verification-run:default:${run}`
export const redirectUrl = 'https://app.example.test/return'
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** An operation of a store that a test replaces. */
export type StoreSteps = Partial<Store>

/** The same store with some operations replaced. What it writes to lists runs through them too. */
export function storeWith(store: ListingStore, steps: StoreSteps): ListingStore {
  const replaced = { ...store, ...steps }
  const write = (key: string, from: string | null, to: string | null) => {
    if (to === null) return from === null ? Promise.resolve(true) : replaced.compareAndDelete(key, from)
    return from === null ? replaced.set(key, to, { ifAbsent: true }) : replaced.compareAndSet(key, from, to)
  }
  const lists: StoreLists = {
    ...store.lists,
    async replace(key, from, to) {
      const isWritten = await write(key, from.value, to.value)
      if (isWritten) await store.lists.replace(key, { ...from, value: to.value }, to)
      return isWritten
    },
  }
  return { ...replaced, lists: steps.lists ?? lists }
}

/** Writes that another process, which does not end by itself, creates the person's session or delivers its changes. */
export async function busyElsewhere(store: Store, what: 'start' | 'delivery'): Promise<void> {
  const run = 'a process that is very slow'
  const at = '2026-01-01T00:00:00.000Z'
  const sent = { workflow: null, redirectDigest: null }
  const record = JSON.parse((await store.get(recordKey)) ?? JSON.stringify({ ...noRecord, id: run, updatedAt: at }))
  const start = { run, at, from: 'none', updatedBefore: null, sent }
  await store.set(recordKey, JSON.stringify({ ...record, ...(what === 'start' ? { start } : { delivery: run }) }))
  await store.set(runKey(run), run)
}

type Options = Partial<VerificationManagerOptions>

/**
 * The emulator, a store, and managers that share them, as those of several processes do. All use one clock, which
 * stands still unless a test moves it. Waits of a manager take one turn of the event loop.
 */
export function managed(options: Options & { emulator?: EmulatorOptions; waitsTakeTime?: boolean } = {}) {
  const { emulator: emulatorOptions, waitsTakeTime = false, ...given } = options
  const clock = manualClock()
  const emulator = createEmulator({
    seed: 1,
    clock: () => new Date(clock.timing.wallClock()),
    workflows: [{ id: 'wf_1', name: 'Identity', features: ['id_verification', 'liveness', 'face_match'] }],
    ...emulatorOptions,
  })
  const store = memoryStore({ now: () => new Date(clock.timing.now()) })
  const time = {
    ...clock.timing,
    sleep: async (ms: number) => {
      if (waitsTakeTime) clock.passTime(ms)
      await setImmediate()
    },
  }
  const changes: VerificationChange[] = []
  const client = (more: Partial<VerificationClientOptions> = {}) => {
    const options: object = { ...emulator.options.verification, maxRetries: 0, ...more, [timing]: time }
    return new VerificationClient(options)
  }
  const manager = (more: Options = {}): VerificationManager =>
    createVerificationManager({
      client: client(),
      store,
      session: { workflow_id: 'wf_1', redirect_url: redirectUrl },
      now: () => new Date(clock.timing.wallClock()),
      onChange: async (change: VerificationChange) => void changes.push(change),
      ...given,
      ...more,
      [timing]: time,
    } as VerificationManagerOptions & { store: ScannableStore })

  return {
    emulator,
    store,
    clock,
    client,
    manager,
    changes,
    /** The changes for which `onChange` ran, such as `none > open`. */
    transitions: () => changes.map(({ from, to }) => `${from} > ${to}`),
    passTime: (ms: number) => clock.passTime(ms),
    /** The names of the operations that were requested, in order. */
    operations: () => emulator.requests.map(({ operation }) => operation),
    count: (operation: string) => emulator.requests.filter((request) => request.operation === operation).length,
    record: async () => JSON.parse((await store.get(recordKey)) ?? 'null'),
    /** Starts, and returns the id of the session. */
    async started(by = manager()): Promise<string> {
      const { sessionId } = await by.start(subject)
      return sessionId ?? 'no session'
    },
  }
}

/** The same client with some methods of its sessions replaced. */
export const clientWith = ({ sessions }: VerificationClient, replaced: Partial<VerificationSessions>) => ({
  sessions: {
    create: (...call) => sessions.create(...call),
    list: (...call) => sessions.list(...call),
    retrieve: (...call) => sessions.retrieve(...call),
    decision: (...call) => sessions.decision(...call),
    updateStatus: (...call) => sessions.updateStatus(...call),
    ...replaced,
  } satisfies VerificationSessions as VerificationSessions,
})

/** The same client with a service that has approved every session. */
export const approving = (client: VerificationClient, more: object = {}) =>
  clientWith(client, {
    decision: async () => ({ status: 'APPROVED', decision: 'APPROVED', checks: [], ...more }),
  })

/** An event about a session, as `verifyWebhook` returns it. What it says about the outcome is wrong. */
export const eventFor = (sessionId: string, more: object = {}): WebhookEvent =>
  ({
    event_id: `evt_${sessionId}`,
    type: 'verification.declined',
    session_id: sessionId,
    status: 'DECLINED',
    vendor_data: subject,
    decision: { status: 'DECLINED', decision: 'DECLINED', checks: [] },
    ...more,
  }) as WebhookEvent

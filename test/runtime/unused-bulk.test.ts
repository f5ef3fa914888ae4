import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Bulk, bulk } from '../../src/bulk/bulk.ts'
import { createVerificationManager, type Logger, memoryStore, OrgClient, VerificationClient } from '../../src/index.ts'
import { memoryInUse } from '../support/memory.ts'
import { recordingLogger } from '../support/recording-logger.ts'

/** Collects garbage, until objects of now were collected and reported. */
async function collectGarbage() {
  let isCollected = false
  const registry = new FinalizationRegistry(() => {
    isCollected = true
  })
  registry.register({}, undefined)
  for (let turn = 0; turn < 100 && !isCollected; turn++) {
    memoryInUse()
    await setImmediate()
  }
  memoryInUse()
  await setImmediate()
}

async function* oneItem() {
  yield 1
}

const work = (operation: string, logger?: Logger) => bulk(oneItem, () => 'done', { operation, logger })

it('warns when work that nothing consumed is garbage collected, once for each method', async () => {
  const { logger, warnings } = recordingLogger()

  for (let n = 0; n < 3; n++) work('numbers.drop', logger)
  await collectGarbage()

  expect(warnings).toEqual([
    [
      'numbers.drop: nothing was sent, because the result was neither awaited nor iterated. Await it, or iterate it with for await.',
    ],
  ])
})

it('writes the warning to console.error if there is no logger', async () => {
  const print = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => print.mockRestore())

  work('numbers.print')
  await collectGarbage()

  expect(print.mock.calls.join()).toMatch(/^identity-service-sdk: numbers\.print: nothing was sent/)
})

const ways: readonly (readonly [way: string, consume: (made: Bulk<number, string>) => unknown])[] = [
  ['awaited', async (made) => await made],
  ['iterated', async (made) => (await made[Symbol.asyncIterator]().next()).value],
  ['consumed by then', (made) => made.then()],
  ['consumed by catch', (made) => made.catch(() => {})],
  ['consumed by finally', (made) => made.finally(() => {})],
  ['awaited together with others', (made) => Promise.all([made])],
]

it.each(ways)('does not warn of work that was %s', async (way, consume) => {
  const { logger, warnings } = recordingLogger()

  await consume(work(`numbers ${way}`, logger))
  await collectGarbage()

  expect(warnings).toEqual([])
})

it('does not warn of work that is awaited a while later', async () => {
  const { logger, warnings } = recordingLogger()
  const made = work('numbers.later', logger)

  await collectGarbage()

  expect(await made).toBe('done')
  await collectGarbage()
  expect(warnings).toEqual([])
})

it.each<[operation: string, drop: (logger: Logger) => void]>([
  ['members.addAll', (logger) => void anOrg(logger).members.addAll([])],
  ['members.inviteAll', (logger) => void anOrg(logger).members.inviteAll([])],
  [
    'verifications.reconcile',
    (logger) => {
      const client = new VerificationClient({ baseUrl: 'https://id.example.test', apiKey: 'key', logger })
      const session = { workflow_id: 'wf_1' }
      void createVerificationManager({ client, store: memoryStore(), session }).reconcile()
    },
  ],
])('%s warns if its result is dropped', async (operation, drop) => {
  const { logger, warnings } = recordingLogger()

  drop(logger)
  await collectGarbage()

  expect(warnings).toEqual([[expect.stringMatching(`^${operation}: nothing was sent`)]])
})

const anOrg = (logger: Logger) =>
  new OrgClient({ baseUrl: 'https://id.example.test', clientId: 'id', clientSecret: 'secret', logger })

import { expect } from 'vitest'
import type { createWebhookHandler } from '../../src/webhooks.ts'
import type { documentedCode } from '../support/documented-code.ts'
import { forgeryMessage } from './reading.ts'

export type Modules = Record<string, Readonly<Record<string, unknown>>>

type Guide = ReturnType<typeof documentedCode>

/**
 * Loads the module that defines the callbacks, as the examples import it.
 *
 * @param receiving the guide that defines them
 * @param specifiers the names by which the examples import it
 * @returns the modules, and the same ones with callbacks that print nothing
 */
export async function loadCallbacks(receiving: Guide, specifiers: readonly string[], env = {}) {
  const { options } = await receiving.load<{ options: Parameters<typeof createWebhookHandler>[0] }>(
    'Define the callbacks',
    { env },
  )
  const modulesOf = (exports: object): Modules =>
    Object.fromEntries(specifiers.map((name) => [name, { options: exports }]))
  const silent = { ...options, onTestEvent: () => undefined, onError: () => undefined }
  return { modules: modulesOf(options), quiet: modulesOf(silent) }
}

/**
 * Checks that a block handles each event once, in any order, and rejects forged events.
 *
 * @param name the heading of a block that serves /webhooks with the callbacks of the guide
 * @param owner the function that creates its handler
 */
export async function expectEachEventOnce(
  guide: Guide,
  { name, owner, modules }: { name: string; owner: string; modules: Modules },
): Promise<void> {
  const { sessions, webhooks } = guide.emulator
  const printed = await guide.whileServing(
    name,
    async (port) => {
      const callback = `http://127.0.0.1:${port}/webhooks`
      const inReview = await guide.aSession(callback)
      webhooks.faults.add({ kind: 'out_of_order', type: 'verification.in_review' })
      await sessions.complete(inReview, 'IN_REVIEW')
      await sessions.complete(inReview, 'APPROVED')
      webhooks.faults.add({ kind: 'duplicate' })
      await sessions.complete(await guide.aSession(callback), 'DECLINED')
      webhooks.faults.add({ kind: 'bad_signature' })
      await sessions.complete(await guide.aSession(callback), 'EXPIRED')
    },
    { modules },
  )

  expect(printed.split('\n')).toEqual([
    'user-42 APPROVED',
    'user-42 APPROVED',
    'user-42 DECLINED',
    `${await forgeryMessage(owner)} `,
    '',
  ])
  const statuses = webhooks.deliveries.map(({ attempts }) => attempts.map(({ status }) => status))
  expect(statuses).toEqual([[200], [200], [200, 200], [400]])
}

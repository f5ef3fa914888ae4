import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createWebhookHandler } from '../../../src/index.ts'
import { scriptedFetch } from '../../support/scripted-fetch.ts'
import { testClient } from '../../support/verification-client.ts'
import { clockAt, plausibleHeaders, secret, signedAt } from '../../support/webhook.ts'

/** More than are read in one turn of the event loop, and few enough for a test that fails to end. */
const chunks = 200_000

async function* emptyChunks() {
  for (let i = 0; i < chunks; i++) yield new Uint8Array()
}

function emptyStream() {
  let sent = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1
      if (sent > chunks) controller.close()
      // A stream of bytes accepts no empty chunk. Others do.
      else controller.enqueue(new Uint8Array())
    },
  })
}

const receiving = (body: unknown) => {
  const fetch = (async () => ({
    status: 200,
    headers: new Headers(),
    body,
  })) as unknown as typeof globalThis.fetch
  return testClient({ fetch, maxRetries: 0 }).client.sessions.retrieve('sess_1')
}

const readers: [name: string, read: () => PromiseLike<unknown>][] = [
  ['a response', () => receiving(emptyStream())],
  ['a response of node-fetch', () => receiving(emptyChunks())],
  [
    'a webhook',
    () => {
      const handler = createWebhookHandler({
        secret,
        now: clockAt(signedAt),
        onTestEvent: () => {},
        onError: () => {},
      })
      const init = { method: 'POST', headers: plausibleHeaders, body: emptyStream(), duplex: 'half' }
      return handler.fetch(new Request('https://app.example.test', init as RequestInit))
    },
  ],
  [
    'an image',
    () => {
      const { fetch } = scriptedFetch(() => expect.fail('nothing is sent'))
      return testClient({ fetch, maxRetries: 0 }).client.checks.liveness({ image: emptyChunks() })
    },
  ],
]

it.each(readers)('%s of very many empty chunks does not stop the event loop', async (_, read) => {
  const ended = Promise.resolve(read()).then(
    () => 'ended',
    () => 'ended',
  )
  expect(await Promise.race([setImmediate('the loop runs'), ended])).toBe('the loop runs')
  await ended
})

it('a call that times out reads no more of its response', async () => {
  let canceled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array()),
    cancel() {
      canceled = true
    },
  })
  const fetch = (async () => ({ status: 200, headers: new Headers(), body: endless })) as unknown
  const test = testClient({ fetch: fetch as typeof globalThis.fetch, maxRetries: 0, timeoutMs: 5 })
  const failed = expect(test.client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'TimeoutError',
  })

  await test.advance(5)

  await failed
  await expect.poll(() => canceled).toBe(true)
})

import Fastify from 'fastify'
import { expect, it, vi } from 'vitest'
import { expressWebhook } from '../../src/express.ts'
import { fastifyWebhook } from '../../src/fastify.ts'
import {
  ConfigurationError,
  createWebhookHandler,
  signWebhook,
  verifyWebhook,
  verifyWebhookSignature,
  type WebhookHandlerOptions,
} from '../../src/webhooks.ts'
import { aDelivery, anEvent, clockAt, secret, signedAt } from '../support/webhook.ts'

const now = clockAt(signedAt)

const setSecret = (value: string | undefined) => vi.stubEnv('SVC_WEBHOOK_SECRET', value)

/** Everything that takes a secret. */
const takers = [
  ['verifyWebhook', async (options: object) => verifyWebhook({ ...(await aDelivery()), now, ...options })],
  [
    'verifyWebhookSignature',
    async (options: object) => verifyWebhookSignature({ ...(await aDelivery()), now, ...options }),
  ],
  ['signWebhook', (options: object) => signWebhook({ event: anEvent(), ...options })],
  ['createWebhookHandler', async (options: object) => createWebhookHandler({ onTestEvent: () => {}, ...options })],
  ['expressWebhook', async (options: object) => void expressWebhook({ onTestEvent: () => {}, ...options })],
  [
    'fastifyWebhook',
    async (options: object) =>
      void (await Fastify().register(fastifyWebhook, { path: '/', onTestEvent: () => {}, ...options })),
  ],
] as const

it.each(takers)('%s reads the secret from SVC_WEBHOOK_SECRET if none is passed', async (_, call) => {
  setSecret(secret)
  await call({})
  await call({ secret: undefined })
})

it.each(takers)('%s without a secret throws a ConfigurationError that names the variable', async (name, call) => {
  setSecret(undefined)
  const missing = {
    name: 'ConfigurationError',
    message: `${name}: secret is missing: pass it, or set SVC_WEBHOOK_SECRET`,
  }
  for (const given of [undefined, null, '', [], [undefined], [undefined, '']])
    await expect(call({ secret: given })).rejects.toMatchObject(missing)
  setSecret('')
  await expect(call({})).rejects.toMatchObject(missing)
})

it.each(takers)('%s ignores what is undefined or empty in a list of secrets', async (_, call) => {
  setSecret(undefined)
  for (const given of [
    [secret, undefined],
    [undefined, secret],
    ['', secret],
  ])
    await call({ secret: given })
})

it.each(takers)(
  '%s rejects a secret that is made of a missing variable or has a line break, an invisible character or spaces around it',
  async (name, call) => {
    const rejection = {
      name: 'ConfigurationError',
      message: `${name}: secret must be one visible line without spaces around it, not undefined or null: pass it, or set SVC_WEBHOOK_SECRET`,
    }
    const lines = [`${secret}\n`, ` ${secret}`, `${secret}\r\n`, 'first line\nsecond line', ' \t']
    for (const wrong of [
      ...lines,
      `\ufeff${secret}`,
      `s\u200b${secret}`,
      `${secret}\u00ad`,
      `${secret}\0`,
      'undefined',
      'null',
      7,
    ]) {
      await expect(call({ secret: wrong })).rejects.toMatchObject(rejection)
      await expect(call({ secret: [secret, undefined, wrong] })).rejects.toMatchObject(rejection)
    }
    setSecret(`${secret}\n`)
    await expect(call({})).rejects.toMatchObject(rejection)
  },
)

it('prefers the secret that is passed to SVC_WEBHOOK_SECRET', async () => {
  setSecret('another')
  const { body, headers } = await signWebhook({ event: anEvent(), secret, timestamp: signedAt })
  await expect(verifyWebhook({ body, headers, secret, now })).resolves.toMatchObject({ event_id: 'evt_1' })
  await expect(verifyWebhook({ body, headers, now })).rejects.toMatchObject({ reason: 'signature_mismatch' })
})

const aHandler = (options: object) => () =>
  createWebhookHandler({ secret, onTestEvent: () => {}, ...options } as WebhookHandlerOptions)

it('the adapters reject names that are not options too, and accept those of their framework', async () => {
  const register = (options: object) =>
    Fastify().register(fastifyWebhook, { secret, onTestEvent: () => {}, path: '/webhooks', ...options })
  await expect(register({ Path: '/' })).rejects.toThrow('fastifyWebhook: Path is not an option. Did you mean path?')
  await expect(register({ path: undefined })).rejects.toThrow(
    'fastifyWebhook: path is missing: pass the path of the route, such as /webhooks',
  )
  await register({ prefix: '/api', logLevel: 'silent', logSerializers: {} })
})

it('rejects a retainMs below twice the tolerance, and says why', () => {
  expect(aHandler({ retainMs: 600_000 })).not.toThrow()
  expect(aHandler({ retainMs: 20_000, toleranceSeconds: 10 })).not.toThrow()
  expect(aHandler({ retainMs: 599_999 })).toThrow(ConfigurationError)
  expect(aHandler({ retainMs: 599_999 })).toThrow(
    'createWebhookHandler: retainMs must be at least 600000, twice toleranceSeconds, because a delivery is accepted for that long.',
  )
  expect(aHandler({ retainMs: 172_799_000, toleranceSeconds: 86_400 })).toThrow(/retainMs must be at least 172800000/)
})

const MiB = 1024 * 1024

it('accepts a body of 8 MiB by default, and no larger one', async () => {
  const handler = aHandler({ now, onError: () => {} })()
  const { body } = await aDelivery({ vendor_data: '' })
  const padding = 'x'.repeat(8 * MiB - body.length)
  const { body: largest, headers } = await aDelivery({ vendor_data: padding })
  expect(largest).toHaveLength(8 * MiB)
  const fetch = (sent: string) =>
    handler.fetch(new Request('https://app.example.com/', { method: 'POST', headers, body: sent }))
  expect((await fetch(largest)).status).toBe(200)
  expect((await fetch(`${largest} `)).status).toBe(413)
  expect(await handler.handle({ body: `${largest} `, headers })).toMatchObject({ status: 413 })
})

it('fastifyWebhook accepts a body of 8 MiB, also if the app has a lower limit', async () => {
  const app = Fastify({ bodyLimit: 1000 })
  await app.register(fastifyWebhook, { secret, now, path: '/', onTestEvent: () => {}, onError: () => {} })
  const { body } = await aDelivery({ vendor_data: '' })
  const delivery = await aDelivery({ vendor_data: 'x'.repeat(8 * MiB - body.length) })
  const post = (payload: string) => app.inject({ method: 'POST', url: '/', headers: delivery.headers, payload })
  expect((await post(delivery.body)).statusCode).toBe(200)
  expect((await post(`${delivery.body} `)).statusCode).toBe(413)
})

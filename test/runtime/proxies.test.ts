import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import {
  createEventProcessor,
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  isSdkError,
  memoryStore,
  OidcClient,
  OrgClient,
  signWebhook,
  VerificationClient,
} from '../../src/index.ts'
import { thrownBy } from '../support/thrown-by.ts'

type Handler = ProxyHandler<Record<string | symbol, unknown>>

const bindingTo = (self: 'target' | 'proxy'): Handler => ({
  get(target, name, proxy) {
    const value: unknown = Reflect.get(target, name, proxy)
    return typeof value === 'function' ? value.bind(self === 'target' ? target : proxy) : value
  },
})

/** Puts every object that it returns behind a proxy too. */
const tracing: Handler = {
  get(target, name, proxy) {
    const value: unknown = Reflect.get(target, name, proxy)
    if (typeof value === 'function') return (...args: unknown[]) => Reflect.apply(value, proxy, args)
    return typeof value === 'object' && value !== null ? new Proxy(value as typeof target, tracing) : value
  },
}

/** As containers of dependencies and tracers create them. */
const proxies = [
  ['an empty proxy', {}],
  ['a proxy that binds methods to its target', bindingTo('target')],
  ['a proxy that binds methods to itself', bindingTo('proxy')],
  ['a tracer, which puts properties behind a proxy too', tracing],
] satisfies [string, Handler][]

const observed = [
  ['', {}],
  [', with an instrumentation', { instrumentation: { start: () => undefined } }],
] as const

it.each(observed.flatMap(([how, options]) => proxies.map(([what, handler]) => [what, how, handler, options] as const)))(
  'clients, managers and handlers work behind %s%s',
  async (_, __, handler, options) => {
    const behind = <Value extends object>(value: Value) => new Proxy(value, handler as ProxyHandler<Value>)
    const emulator = createEmulator()
    const store = behind(memoryStore())

    const client = behind(new VerificationClient({ ...emulator.options.verification, ...options }))
    const session = await client.withOptions({ maxRetries: 0 }).sessions.create({ workflow_id: 'wf_identity' })
    const path = `/api/v2/session/${session.session_id}`
    expect(await client.request({ method: 'GET', path })).toMatchObject({ session_id: session.session_id })

    const org = behind(new OrgClient({ ...emulator.options.org, ...options }))
    expect(await org.withOptions({}).request({ method: 'GET', path: '/api/sdk/members' })).toBeDefined()
    expect((await org.members.list()).members).toEqual([])

    const oidc = behind(new OidcClient({ ...emulator.options.oidc, ...options }))
    expect(oidc.redirectUri).toBe(emulator.options.oidc.redirectUri)
    const login = await oidc.createAuthorization()
    const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
    await oidc.validateAccessToken(tokens.access_token)
    expect(isSdkError(await thrownBy(oidc.legacy.refresh('none')))).toBe(true)

    const encryptionKey = new Uint8Array(32).fill(7)
    const manager = behind(createTokenManager({ oidc, store, encryptionKey }))
    await manager.save('user_1', tokens)
    expect(await manager.getAccessToken('user_1')).toBe(tokens.access_token)

    const verifications = behind(createVerificationManager({ client, store, session: { workflow_id: 'wf_identity' } }))
    expect((await verifications.start('user_1')).state).toBe('open')
    for await (const { subject } of verifications.list({ state: 'open' })) expect(subject).toBe('user_1')
    expect(await verifications.reconcile({ olderThanMs: 60_000 })).toMatchObject({ failed: 0 })

    const { secret } = emulator.webhooks
    const event = { event_id: 'evt_1', type: 'session.created', session_id: session.session_id } as never
    const webhooks = behind(createWebhookHandler({ secret, store, onUnhandled() {}, ...options }))
    expect((await webhooks.handle(await signWebhook({ event, secret }))).outcome).toBe('unhandled')
    const processor = behind(createEventProcessor({ store, name: 'queue', onUnhandled() {}, ...options }))
    expect((await processor.process(event)).outcome).toBe('unhandled')

    await Promise.all([client.close(), org.close(), oidc.close()])
  },
)

it('a method of a client that is called without its object says so', () => {
  const { request } = new VerificationClient(createEmulator().options.verification)

  expect(() => request({ method: 'GET', path: '/' })).toThrow('the method was called without its object')
})

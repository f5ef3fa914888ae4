import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { loginMarkerMs } from '../../src/contract/sign-in/legacy.ts'
import {
  createSignInHandler,
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  errorCatalog,
  loginMarkers,
  memoryStore,
  OidcClient,
  type Store,
  signWebhook,
  VerificationClient,
} from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { freePort } from '../support/free-port.ts'
import { anEvent } from '../support/webhook.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/production-checklist.md'
const guide = documentedCode('docs/guides/production-checklist.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('uses a rotated API key from the next attempt on', async () => {
  const secrets = new Map([['svc-api-key', 'an old key']])
  const events: string[] = []
  const { client } = await guide.load<{ client: VerificationClient }>('Keys and secrets', {
    modules: {
      './secrets.js': { secrets },
      './store.js': { store: memoryStore() },
      './metrics.js': { report: ({ type }: { type: string }) => events.push(type) },
    },
  })

  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'invalid_api_key' })
  secrets.set('svc-api-key', emulator.options.verification.apiKey)
  await expect(client.sessions.list()).resolves.toEqual([])

  expect(events).toEqual(['request', 'response', 'error', 'request', 'response'])
})

it('the job finds the outcomes that no webhook reported', async () => {
  let ms = Date.now()
  const verifications = createVerificationManager({
    client: new VerificationClient(emulator.options.verification),
    store: memoryStore(),
    session: { workflow_id: 'wf_identity' },
    now: () => new Date(ms),
  })
  for (const [subject, status] of [
    ['ada', 'APPROVED'],
    ['bo', 'ABANDONED'],
  ] as const) {
    const { sessionId } = await verifications.start(subject)
    await emulator.sessions.complete(String(sessionId), status)
  }
  await verifications.start('cy')
  ms += 20 * 60_000

  const printed = await guide.run('Webhook endpoint', {
    modules: { './verifications.js': { verifications } },
  })

  expect(printed).toBe('3 visited, 2 changed, 0 failed\n')
  expect((await verifications.get('bo')).state).toBe('ended')
})

it('the app finishes its deliveries and exits on SIGTERM', async () => {
  const port = await freePort()
  const file = join(guide.installed.project, 'app.mjs')
  await writeFile(file, guide.code('Shut down'))
  const env = { ...process.env, ...guide.environment({ PORT: String(port) }) }
  const app = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void app.kill('SIGKILL'))
  let printed = ''
  const listening = new Promise<void>((resolve) => {
    app.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('listening')) resolve()
    })
  })
  const exited = once(app, 'exit')
  await listening

  await emulator.sessions.complete(await guide.aSession(`http://127.0.0.1:${port}/webhooks`), 'APPROVED')
  app.kill('SIGTERM')

  expect(await exited).toEqual([0, null])
  expect(printed).toBe('listening\nAPPROVED\ndone\n')
  expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200])
})

it('the table of stored keys lists every prefix, with the time that it is kept', async () => {
  const kept = new Map<string, number | undefined>()
  const store = memoryStore()
  const watched: Store = {
    ...store,
    set(key, value, options) {
      kept.set(key.slice(0, key.indexOf(':') + 1), options?.ttlMs)
      return store.set(key, value, options)
    },
    compareAndSet(key, expected, value, options) {
      kept.set(key.slice(0, key.indexOf(':') + 1), options?.ttlMs)
      return store.compareAndSet(key, expected, value, options)
    },
    lists: {
      ...store.lists,
      replace(key, ...rest) {
        kept.set(key.slice(0, key.indexOf(':') + 1), undefined)
        return store.lists.replace(key, ...rest)
      },
    },
  }
  const secret = 'a secret of thirty-two characters'
  const redirectUri = 'http://127.0.0.1:3000/callback'
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri })
  const spendLimit = { calls: 1, perMs: 60_000, store: watched }
  const client = new VerificationClient({ ...emulator.options.verification, spendLimit })

  const webhooks = createWebhookHandler({ secret, store: watched, onTestEvent: () => undefined })
  await webhooks.handle(await signWebhook({ event: anEvent({ test: true }), secret }))
  const signIn = createSignInHandler({
    oidc,
    store: watched,
    cookieSecret: secret,
    onSignIn: () => undefined,
  })
  const started = await signIn.fetch(new Request('http://127.0.0.1:3000/login'))
  const [cookie = ''] = String(started.headers.get('set-cookie')).split(';')
  const callback = emulator.signIn.approve(String(started.headers.get('location')))
  await signIn.fetch(new Request(callback, { headers: { cookie } }))
  const login = await oidc.createAuthorization()
  const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
  const manager = createTokenManager({ oidc, store: watched })
  await manager.save('ada', { ...tokens, expiresAtSeconds: 0 })
  await manager.getAccessToken('ada')
  await client.checks.age({ dob: '1990-01-01', bands: [18] })
  const markers = loginMarkers({ secret, store: watched })
  await markers.spend(await markers.create())

  const verifications = createVerificationManager({
    client,
    store: watched,
    session: { workflow_id: 'wf_identity' },
    onChange: () => undefined,
  })
  await verifications.start('ada')

  const minute = 60_000
  expect(columnOf(page, 'Data protection').sort()).toEqual([...kept.keys()].sort())
  expect(Object.fromEntries(kept)).toEqual({
    'verification:': undefined,
    'verification-run:': minute / 2,
    'webhook:': 7 * 24 * 60 * minute,
    'sign-in:': 11 * minute,
    'tokens:': undefined,
    'tokens-lock:': minute,
    'spend-limit:': minute + 1_000,
    'login-marker:': loginMarkerMs + minute,
  })
})

it('the monitoring table names only codes and reasons that exist', () => {
  const words = columnOf(page, 'Monitoring').flatMap((cell) => cell.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])
  const own = [
    ...columnOf('docs/reference/errors.md', 'Properties by class', 1),
    ...columnOf('docs/reference/webhook-rejections.md', 'Rejections'),
    ...columnOf('docs/guides/sign-in.md', 'Keep access tokens valid'),
  ]

  expect(words.filter((word) => !(word in errorCatalog || own.includes(word)))).toEqual(['keys_unavailable'])
})

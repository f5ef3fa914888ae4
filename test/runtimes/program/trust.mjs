/** @typedef {import('./app.mjs').App} App */

/**
 * @param {App} app
 * @param {Record<string, string>} [headers]
 */
async function deliver({ handler, settings }, headers = settings.headers) {
  const request = new Request('https://app.example.test/webhooks', {
    method: 'POST',
    headers,
    body: settings.body,
  })
  const response = await handler.fetch(request)
  return [response.status, await response.text()]
}

const tokens = {
  access_token: 'access_1_0123456789abcdef',
  refresh_token: 'refresh_1_0123456789abcdef',
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'openid',
}

/** Webhooks, tokens and stores. */
export const trust = {
  /** @param {App} app */
  async webhook(app) {
    const first = await deliver(app)
    const second = await deliver(app)
    return { first, second, events: app.events }
  },

  /** @param {App} app */
  async forgedWebhook(app) {
    const { headers } = app.settings
    const name = Object.keys(headers).find((header) => header.toLowerCase() === 'x-svc-signature') ?? ''
    const forged = (headers[name] ?? '').replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
    return deliver(app, { ...headers, [name]: forged })
  },

  /** @param {App} app */
  async verifiedWebhook({ sdk, settings }) {
    const event = await sdk.webhooks.verifyWebhook(settings)
    return { type: event.type, vendor_data: event.vendor_data }
  },

  /** @param {App} app */
  async signedWebhook({ sdk, settings }) {
    const { secret, body, headers } = settings
    const timestamp = Number(headers['x-svc-timestamp'])
    const signed = await sdk.webhooks.signWebhook({ body, secret, timestamp })
    return new Headers(signed.headers).get('x-svc-signature') === headers['x-svc-signature']
  },

  /** @param {App} app */
  async idToken({ oidc, settings }) {
    return (await oidc.validateIdToken(settings.idToken, { nonce: 'nonce_1' })).sub
  },

  /** @param {App} app */
  async idTokenAlone({ sdk, settings }) {
    const { baseUrl: issuer, clientId: audience, idToken } = settings
    const jwks = `${issuer}/api/auth/oidc/jwks.json`
    return (await sdk.oidc.validateIdToken(idToken, { jwks, issuer, audience })).sub
  },

  /** @param {App} app */
  expiredIdToken: ({ oidc, settings, failureOf }) => failureOf(oidc.validateIdToken(settings.expiredIdToken)),

  /** @param {App} app */
  forgedIdToken({ oidc, settings, failureOf }) {
    const [header, , signature] = settings.idToken.split('.')
    const [, payload] = settings.expiredIdToken.split('.')
    return failureOf(oidc.validateIdToken([header, payload, signature].join('.')))
  },

  /** @param {App} app */
  async store({ sdk }) {
    let now = 0
    const store = sdk.root.memoryStore({ now: () => new Date(now) })
    const steps = [
      await store.set('key', 'one', { ifAbsent: true }),
      await store.set('key', 'two', { ifAbsent: true }),
      await store.compareAndSet('key', 'one', 'two', { ttlMs: 10 }),
      await store.get('key'),
    ]
    now = 10
    return [...steps, await store.get('key'), await store.take('key')]
  },

  /** @param {App} app */
  async tokenManager({ manager, written }) {
    await manager.save('user-1', { ...tokens, expiresAtSeconds: Math.floor(Date.now() / 1000) + 900 })
    const unencrypted = written.filter((value) => value.includes('access_1'))
    return {
      unencrypted: unencrypted.length,
      writes: written.length,
      token: await manager.getAccessToken('user-1'),
    }
  },

  /** @param {App} app */
  async errorClasses({ sdk }) {
    const { root, errors, webhooks } = sdk
    const thrown = await webhooks.verifyWebhook({ body: '{}', headers: {}, secret: 's' }).catch((error) => error)
    return [
      thrown instanceof root.WebhookVerificationError,
      thrown instanceof errors.SdkError,
      root.isSdkError(thrown),
      errors.isSdkError(new Error('another')),
    ]
  },
}

/** @typedef {import('./app.mjs').App} App */

/** The emulator without a network. */
export const emulated = {
  /** @param {App} app */
  async emulator({ sdk, emulator }) {
    const client = new sdk.root.VerificationClient(emulator.options.verification)
    const { session_id, url } = await client.sessions.create({ workflow_id: 'wf_identity' })
    const page = await emulator.fetch(new Request(url))
    await emulator.sessions.complete(session_id, 'APPROVED')
    const { decision } = await client.sessions.decision(session_id)
    const check = await client.checks.liveness({ image: new Uint8Array(100) })
    return { page: page.status, decision, check: check.status, charges: emulator.ledger.length }
  },

  /** @param {App} app */
  async listen({ sdk, failureOf }) {
    const emulator = sdk.emulator.createEmulator()
    const listening = emulator.listen()
    const failure = await failureOf(listening)
    if (failure !== 'no error') return failure
    const server = await listening
    const options = { ...emulator.options.verification, fetch: undefined, maxRetries: 0 }
    const client = new sdk.root.VerificationClient(options)
    const session = await client.sessions.create({ workflow_id: 'wf_identity' })
    await server.close()
    const closed = await failureOf(client.sessions.retrieve(session.session_id))
    return { session: typeof session.session_id, closed }
  },

  /** @param {App} app */
  async signIn({ sdk, emulator, failureOf }) {
    const oidc = new sdk.root.OidcClient(emulator.options.oidc)
    const login = await oidc.createAuthorization()
    const { access_token, claims } = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
    const { sub } = await oidc.validateAccessToken(access_token)
    const forged = { ...login, state: 'another' }
    return {
      isOneUser: claims.sub === sub,
      forged: await failureOf(oidc.handleCallback(emulator.signIn.approve(login.url), forged)),
    }
  },

  /** @param {App} app */
  async signInHandler({ sdk, emulator }) {
    const { createSignInHandler, memoryStore, OidcClient } = sdk.root
    const { redirectUri } = emulator.options.oidc
    const handler = createSignInHandler({
      oidc: new OidcClient(emulator.options.oidc),
      store: memoryStore(),
      cookieSecret: 'a secret of 32 characters or more',
      paths: { login: '/login', callback: new URL(redirectUri).pathname },
      onSignIn: ({ claims }) => Response.json(typeof claims.sub),
    })
    const redirect = await handler.fetch(new Request(new URL('/login', redirectUri)))
    const cookie = redirect.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const callback = emulator.signIn.approve(redirect.headers.get('location') ?? '')
    const welcome = await handler.fetch(new Request(callback, { headers: { cookie } }))
    return [redirect.status, welcome.status, await welcome.text()]
  },
}

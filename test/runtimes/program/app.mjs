/**
 * The package, however it was loaded.
 *
 * @typedef {object} Sdk
 * @property {typeof import('identity-service-sdk')} root
 * @property {typeof import('identity-service-sdk/emulator')} emulator
 * @property {typeof import('identity-service-sdk/errors')} errors
 * @property {typeof import('identity-service-sdk/oidc')} oidc
 * @property {typeof import('identity-service-sdk/webhooks')} webhooks
 */

/**
 * What a test tells the program.
 *
 * @typedef {object} Settings
 * @property {string} baseUrl of a service that is there
 * @property {string} deadUrl of one that is not
 * @property {string} clientId
 * @property {string} secret of webhooks
 * @property {string} body of a delivery
 * @property {Record<string, string>} headers of that delivery
 * @property {string} idToken
 * @property {string} expiredIdToken
 * @property {string} file where an image is, on runtimes with files
 */

/** @typedef {ReturnType<typeof createApp>} App */

/**
 * What an app makes when it starts, before there is anything to do: Workers allow neither timers nor random
 * numbers then.
 *
 * @param {Sdk} sdk
 * @param {Settings} settings
 */
export function createApp(sdk, settings) {
  const { createWebhookHandler, createTokenManager, memoryStore, OidcClient, OrgClient, VerificationClient } =
    sdk.root
  const { baseUrl, clientId, secret } = settings
  const connection = { baseUrl, timeoutMs: 20_000 }
  const client = new VerificationClient({ ...connection, apiKey: 'key_test' })
  const org = new OrgClient({ ...connection, clientId: 'org_test', clientSecret: 'secret_test' })
  const redirectUri = 'https://app.example.test/callback'
  const oidc = new OidcClient({ ...connection, clientId, clientSecret: 'secret_test', redirectUri })
  const store = memoryStore()
  /** What the store of tokens was given. @type {string[]} */
  const kept = []
  const watched = {
    ...store,
    /** @type {typeof store.set} */
    set: (key, value, options) => {
      if (value.startsWith('{')) kept.push(value)
      return store.set(key, value, options)
    },
  }
  const encryptionKey = new Uint8Array(32).fill(7)
  const manager = createTokenManager({ oidc, store: watched, encryptionKey })
  /** @type {ReturnType<Sdk['emulator']['createEmulator']> | undefined} */
  let emulator
  /** @type {string[]} */
  const events = []
  const handler = createWebhookHandler({
    secret,
    store,
    on: { 'verification.approved': async ({ session_id }) => void events.push(session_id) },
  })

  /**
   * What an app can tell of an error.
   *
   * @param {Promise<unknown>} work
   */
  const failureOf = (work) =>
    work.then(
      () => 'no error',
      (thrown) => {
        if (!sdk.root.isSdkError(thrown)) return `foreign: ${thrown}`
        const { mayHaveArrived, status, reason } = /** @type {Record<string, any>} */ (
          /** @type {unknown} */ (thrown)
        )
        return { name: thrown.name, code: thrown.code, mayHaveArrived, status, reason }
      },
    )

  return {
    sdk,
    settings,
    client,
    org,
    oidc,
    manager,
    kept,
    handler,
    events,
    failureOf,
    get emulator() {
      emulator ??= sdk.emulator.createEmulator()
      return emulator
    },
  }
}

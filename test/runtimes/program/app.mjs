/**
 * The package, loaded as ES modules or as CommonJS.
 *
 * @typedef {object} Sdk
 * @property {typeof import('identity-service-sdk')} root
 * @property {typeof import('identity-service-sdk/emulator')} emulator
 * @property {typeof import('identity-service-sdk')} errors
 * @property {typeof import('identity-service-sdk')} oidc
 * @property {typeof import('identity-service-sdk/webhooks')} webhooks
 */

/**
 * The settings that a test passes to the program.
 *
 * @typedef {object} Settings
 * @property {string} baseUrl of a running service
 * @property {string} deadUrl of a port on which nothing listens
 * @property {string} clientId
 * @property {string} secret of webhooks
 * @property {string} body of a delivery
 * @property {Record<string, string>} headers of that delivery
 * @property {string} idToken
 * @property {string} expiredIdToken
 * @property {string} file the path of an image, or empty on runtimes without files
 */

/** @typedef {ReturnType<typeof createApp>} App */

/**
 * Creates everything that an app creates at its start. Workers allow neither timers nor random numbers at that time.
 *
 * @param {Sdk} sdk
 * @param {Settings} settings
 */
export function createApp(sdk, settings) {
  const { createWebhookHandler, createTokenManager, memoryStore, OidcClient, OrgClient, VerificationClient } = sdk.root
  const { baseUrl, clientId, secret } = settings
  const connection = { baseUrl, timeoutMs: 20_000 }
  const client = new VerificationClient({ ...connection, apiKey: 'key_test' })
  const org = new OrgClient({ ...connection, clientId: 'org_test', clientSecret: 'secret_test' })
  const redirectUri = 'https://app.example.test/callback'
  const oidc = new OidcClient({ ...connection, clientId, clientSecret: 'secret_test', redirectUri })
  const store = memoryStore()
  /** The values that were written to the store of tokens. @type {string[]} */
  const written = []
  const recordingStore = {
    ...store,
    /** @type {typeof store.set} */
    set: (key, value, options) => {
      if (value.startsWith('{')) written.push(value)
      return store.set(key, value, options)
    },
  }
  const encryptionKey = new Uint8Array(32).fill(7)
  const manager = createTokenManager({ oidc, store: recordingStore, encryptionKey })
  /** @type {ReturnType<Sdk['emulator']['createEmulator']> | undefined} */
  let emulator
  /** @type {string[]} */
  const events = []
  const handler = createWebhookHandler({
    secret,
    store,
    on: { 'verification.approved': async ({ session_id }) => void events.push(session_id) },
    // Otherwise the forged delivery below is reported on the console.
    onError: () => {},
  })

  /**
   * Returns the properties of an error that an app can read.
   *
   * @param {Promise<unknown>} work
   */
  const failureOf = (work) =>
    work.then(
      () => 'no error',
      (thrown) => {
        if (!sdk.root.isSdkError(thrown)) return `not an SDK error: ${thrown}`
        const { mayHaveArrived, status, reason } = /** @type {Record<string, any>} */ (/** @type {unknown} */ (thrown))
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
    written,
    handler,
    events,
    failureOf,
    get emulator() {
      emulator ??= sdk.emulator.createEmulator()
      return emulator
    },
  }
}

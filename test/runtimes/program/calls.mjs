/** @typedef {import('./app.mjs').App} App */

/**
 * Counts the calls of the platform's fetch.
 *
 * @param {() => Promise<unknown>} work
 */
async function fetchesDuring(work) {
  const own = globalThis.fetch
  let count = 0
  globalThis.fetch = /** @type {typeof own} */ (
    (input, init) => {
      count++
      return own(input, init)
    }
  )
  await work()
  globalThis.fetch = own
  return count
}

/** Calls to a service over the network. */
export const calls = {
  /** @param {App} app */
  async call({ client }) {
    const created = await client.sessions.create({ workflow_id: 'wf_1', metadata: { name: 'Zoë' } })
    const { data, response } = await client.sessions.retrieve(created.session_id).withResponse()
    const { attempts, status, requestId } = response
    return {
      created: Object(created).metadata,
      status: data.status,
      response: { attempts, status, requestId },
    }
  },

  /** @param {App} app */
  async userAgent({ client }) {
    const { user_agent } = Object(await client.sessions.retrieve('sess_1'))
    return user_agent
  },

  /** @param {App} app */
  transport: ({ client }) => fetchesDuring(() => client.sessions.retrieve('sess_1')),

  /** @param {App} app */
  async roster({ org }) {
    const { members } = await org.members.list()
    return members.map(({ email }) => email)
  },

  /** @param {App} app */
  async retry({ client }) {
    const { response } = await client.sessions.retrieve('sess_busy').withResponse()
    return response.attempts
  },

  /** @param {App} app */
  async compressed({ client }) {
    return (await client.sessions.retrieve('sess_compressed')).session_id
  },

  /** @param {App} app */
  serviceError: ({ client, failureOf }) => failureOf(client.sessions.retrieve('sess_missing')),

  /** @param {App} app */
  redirect: ({ client, failureOf }) => failureOf(client.sessions.retrieve('sess_elsewhere')),

  /** @param {App} app */
  connectionLost: ({ client, failureOf }) => failureOf(client.sessions.retrieve('sess_cut', { maxRetries: 0 })),

  /** @param {App} app */
  async writesSent({ client, org, failureOf }) {
    const failures = []
    const writes = [() => client.sessions.create({ workflow_id: 'wf_cut' }), () => org.members.invite('vmem_cut')]
    for (const write of writes) {
      // The write follows on its connection.
      await org.members.list()
      failures.push(await failureOf(write()))
    }
    const { sent } = Object(await client.sessions.retrieve('sess_writes'))
    return { lost: failures.every((failure) => Object(failure).mayHaveArrived), sent }
  },

  /** @param {App} app */
  connectionRefused({ sdk, settings, failureOf }) {
    const { VerificationClient } = sdk.root
    const client = new VerificationClient({ baseUrl: settings.deadUrl, apiKey: 'key_test', maxRetries: 0 })
    return failureOf(client.sessions.retrieve('sess_1'))
  },

  /** @param {App} app */
  async dispatcher({ sdk, settings, failureOf }) {
    const { VerificationClient } = sdk.root
    const dispatcher = { dispatch: () => false }
    const makeClient = async () => new VerificationClient({ baseUrl: settings.baseUrl, apiKey: 'key_test', dispatcher })
    return failureOf(makeClient())
  },

  /** @param {App} app */
  async abort({ client, failureOf }) {
    const controller = new AbortController()
    const failure = failureOf(client.sessions.retrieve('sess_silent', { signal: controller.signal }))
    // The service responds to `sess_arrived` when it has the request, and to `sess_left` when the request is closed.
    await client.sessions.retrieve('sess_arrived')
    controller.abort()
    return { failure: await failure, left: (await client.sessions.retrieve('sess_left')).session_id }
  },

  /** @param {App} app */
  async timeout({ client, failureOf }) {
    const options = { timeoutMs: 100, maxRetries: 0 }
    const failure = await failureOf(client.sessions.retrieve('sess_silent', options))
    return { failure, left: (await client.sessions.retrieve('sess_left')).session_id }
  },

  /** @param {App} app */
  async trickle({ client, failureOf }) {
    const options = { timeoutMs: 100, maxRetries: 0 }
    return failureOf(client.sessions.retrieve('sess_trickle', options))
  },
}

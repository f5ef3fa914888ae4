import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import {
  ConfigurationError,
  createTokenManager,
  InvalidParamsError,
  memoryStore,
  StoreError,
  TokenManagerError,
  type TokenManagerOptions,
} from '../../../src/index.ts'
import { countingStore } from '../../support/counting-store.ts'
import { refuseConnection, scriptedFetch } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { idToken, issuer, json, key, keySet, otherKey, type Step, startSeconds } from '../issuer.ts'
import { lockName, managed, recordName, refreshed, signedIn, storeWith, withExpiredTokens } from '../managed.ts'

const [newKey, oldKey] = [randomBytes(32), randomBytes(32).toString('base64url')]

const lost = () => {
  throw new TypeError('fetch failed')
}

const unreachable = () => {
  const cause = Object.assign(new Error('read EHOSTUNREACH'), { code: 'EHOSTUNREACH', syscall: 'read' })
  throw new TypeError('fetch failed', { cause })
}

const bodies = (requests: readonly Request[]) => Promise.all(requests.map((request) => request.json()))

/** The message for each reason. */
const messages: Record<TokenManagerError['reason'], RegExp> = {
  not_found:
    /^tokenManager\.getAccessToken: no tokens are stored under this key: .* stored in another process\. Processes do not share a memoryStore, and a restart empties it$/,
  undecryptable:
    /^tokenManager\.getAccessToken: the stored tokens cannot be read: it (?:is (?:not )?encrypted|was encrypted with another)/,
  refresh_rejected:
    /^tokenManager\.getAccessToken: (?:the service rejected|there is no refresh token|the new tokens were rejected).*: the person must sign in again$/,
  refresh_outcome_unknown:
    /^tokenManager\.getAccessToken: (?:the refresh token may have been used|a refresh was started, and its outcome was not stored within lockTtlMs|the new tokens could).*: the person must sign in again$/,
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error) => {
      if (!(error instanceof TokenManagerError)) return error
      expect(error.message).toMatch(messages[error.reason])
      return error.reason
    },
  )

it('returns the saved access token while it is valid for long enough', async () => {
  const { manager, token } = managed()
  const tokens = manager()
  await tokens.save('user_1', signedIn())

  expect(await tokens.getAccessToken('user_1')).toBe('access_0')
  expect(token.requests).toHaveLength(0)
})

it('refreshes a token that expires soon, and stores the new set before returning it', async () => {
  const { manager, token, store, passSeconds } = managed()
  token.respondWith(refreshed(1), refreshed(2))
  await manager().save('user_1', signedIn())
  passSeconds(841)

  expect(await manager().getAccessToken('user_1')).toBe('access_1')
  expect(JSON.parse((await store.get(recordName)) ?? '')).toMatchObject({
    state: 'held',
    tokens: { access_token: 'access_1', refresh_token: 'refresh_1', claims: { sub: 'user_1' } },
  })
  passSeconds(841)
  expect(await manager().getAccessToken('user_1')).toBe('access_2')
  expect(await bodies(token.requests)).toMatchObject([
    { grant_type: 'refresh_token', refresh_token: 'refresh_0' },
    { grant_type: 'refresh_token', refresh_token: 'refresh_1' },
  ])
})

it.each([
  { minValiditySeconds: 0, after: 900, requests: 0 },
  { minValiditySeconds: 0, after: 901, requests: 1 },
  { minValiditySeconds: 60, after: 840, requests: 0 },
  { minValiditySeconds: 60, after: 841, requests: 1 },
  { minValiditySeconds: 300, after: 600, requests: 0 },
  { minValiditySeconds: 300, after: 601, requests: 1 },
  { minValiditySeconds: 100_000, after: 180, requests: 0 },
  { minValiditySeconds: 100_000, after: 181, requests: 1 },
])('sends $requests refreshes after $after s with minValiditySeconds $minValiditySeconds', async (wanted) => {
  const { manager, token, passSeconds } = managed()
  await manager().save('user_1', signedIn())
  passSeconds(wanted.after)

  await manager().getAccessToken('user_1', { minValiditySeconds: wanted.minValiditySeconds })

  expect(token.requests).toHaveLength(wanted.requests)
})

it('refreshes once for 50 callers in each of 8 managers on one store', async () => {
  const { manager, token, clock } = await withExpiredTokens()
  clock.sleep = () => new Promise(setImmediate)
  token.respondWith(refreshed(1), json({ error: 'invalid_grant' }, 400))

  const all = Array.from({ length: 8 }, () => manager()).flatMap((one) =>
    Array.from({ length: 50 }, () => one.getAccessToken('user_1')),
  )

  expect(new Set(await Promise.all(all))).toEqual(new Set(['access_1']))
  expect(token.requests).toHaveLength(1)
})

it('refreshes early at random, and other callers use the current token meanwhile', async () => {
  const { manager, token, passSeconds } = managed({ random: () => 0.5 })
  let respond = () => {}
  const wait = new Promise<void>((resolve) => {
    respond = resolve
  })
  token.respondWith(async (request) => {
    await wait
    return refreshed(1)(request)
  })
  const [first, second] = [manager(), manager()]
  await first.save('user_1', signedIn())
  passSeconds(809)
  expect(await first.getAccessToken('user_1')).toBe('access_0')
  passSeconds(2)

  const early = first.getAccessToken('user_1')
  await expect.poll(() => token.requests.length).toBe(1)

  expect(await first.getAccessToken('user_1')).toBe('access_0')
  expect(await second.getAccessToken('user_1')).toBe('access_0')
  respond()
  expect(await early).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('returns the current token if an early refresh fails without using the refresh token', async () => {
  const { manager, token, passSeconds } = managed({ random: () => 1 })
  token.respondWith(json({ error: 'slow_down' }, 429), refreshed(1))
  await manager().save('user_1', signedIn())
  passSeconds(830)

  expect(await manager().getAccessToken('user_1')).toBe('access_0')
  passSeconds(11)
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
})

it('reads the store once during an early refresh, and after one with an unknown outcome', async () => {
  const { store, operations } = countingStore(memoryStore())
  const { manager, token, passSeconds } = managed({ store, random: () => 1 })
  let respond = () => {}
  const wait = new Promise<void>((resolve) => {
    respond = resolve
  })
  token.respondWith(() => wait.then(lost))
  const tokens = manager()
  await tokens.save('user_1', signedIn())
  passSeconds(830)
  const early = tokens.getAccessToken('user_1')
  await expect.poll(() => token.requests.length).toBe(1)

  operations.length = 0
  await tokens.getAccessToken('user_1')
  expect(operations).toEqual(['get'])
  respond()
  expect(await early).toBe('access_0')
  operations.length = 0
  expect(await tokens.getAccessToken('user_1')).toBe('access_0')
  expect(operations).toEqual(['get'])
  passSeconds(11)
  expect(await reasonOf(tokens.getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
})

it('throws at once if an early refresh is rejected', async () => {
  const { manager, token, passSeconds } = managed({ random: () => 1 })
  token.respondWith(json({ error: 'invalid_grant' }, 400))
  await manager().save('user_1', signedIn())
  passSeconds(830)

  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
})

it('reads the record again after it got the lock, and uses what another process stored meanwhile', async () => {
  const shared = memoryStore()
  const { manager, token } = await withExpiredTokens({ store: shared })
  token.respondWith(refreshed(1), refreshed(2))
  const other = manager()
  const late = storeWith(shared, {
    async set(...given) {
      await other.getAccessToken('user_1')
      return shared.set(...given)
    },
  })

  expect(await manager({ store: late }).getAccessToken('user_1')).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('does not refresh tokens that were replaced while it had the lock', async () => {
  const shared = memoryStore()
  const { manager, token } = await withExpiredTokens({ store: shared })
  const late = storeWith(shared, {
    async compareAndSet(...given) {
      await manager().save('user_1', signedIn({ access_token: 'access_new', expiresAtSeconds: 4e9 }))
      return shared.compareAndSet(...given)
    },
  })

  expect(await manager({ store: late }).getAccessToken('user_1')).toBe('access_new')
  expect(token.requests).toHaveLength(0)
})

it('recognizes its own lock if the driver of the store sent the write twice', async () => {
  const shared = memoryStore()
  const { manager } = await withExpiredTokens({ store: shared })
  const resending = storeWith(shared, {
    async set(...given) {
      await shared.set(...given)
      return shared.set(...given)
    },
  })

  expect(await manager({ store: resending }).getAccessToken('user_1')).toBe('access_1')
})

it('refreshes again for a caller that needs a longer validity than the tokens it waited for have', async () => {
  const shared = memoryStore()
  const { manager, token, passSeconds } = await withExpiredTokens({ store: shared })
  token.respondWith(refreshed(1, { expires_in: 100 }), refreshed(2))
  let slow = true
  const late = storeWith(shared, {
    async compareAndSet(name, expected, value, options) {
      if (slow && value.includes('access_1')) {
        slow = false
        passSeconds(30)
      }
      return shared.compareAndSet(name, expected, value, options)
    },
  })
  const tokens = manager({ store: late })

  const [brief, long] = await Promise.all([
    tokens.getAccessToken('user_1', { minValiditySeconds: 10 }),
    tokens.getAccessToken('user_1', { minValiditySeconds: 100 }),
  ])

  expect([brief, long]).toEqual(['access_1', 'access_2'])
  expect(token.requests).toHaveLength(2)
})

it('rethrows the error of a refresh that was not sent, and refreshes later with the same token', async () => {
  const { manager, token, client } = await withExpiredTokens()
  const closed = client()
  await closed.close()
  const unreachable = client({ maxRetries: 0, fetch: scriptedFetch(refuseConnection).fetch })

  await expect(manager({ oidc: closed }).getAccessToken('user_1')).rejects.toBeInstanceOf(ConfigurationError)
  await expect(manager({ oidc: unreachable }).getAccessToken('user_1')).rejects.toMatchObject({
    mayHaveArrived: false,
  })
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('copies the encryption key, also one of another realm', async () => {
  const bytes = runInNewContext('Uint8Array.from(values)', { values: [...newKey] })
  const { manager } = managed()
  const tokens = manager({ encryptionKey: bytes })
  bytes.fill(0)
  await tokens.save('user_1', signedIn())

  expect(await manager({ encryptionKey: newKey }).getAccessToken('user_1')).toBe('access_0')
})

it('keeps refresh token, id_token and claims if the response omits them', async () => {
  const { manager, token, store, passSeconds } = managed()
  token.respondWith(refreshed(1, { refresh_token: undefined, id_token: undefined }))
  const before = signedIn()
  await manager().save('user_1', before)
  passSeconds(900)
  await manager().getAccessToken('user_1')

  const { tokens } = JSON.parse((await store.get(recordName)) ?? '')
  expect(tokens).toMatchObject({ access_token: 'access_1', refresh_token: 'refresh_0' })
  expect(tokens).toMatchObject({ id_token: before.id_token, claims: before.claims })
})

it('throws not_found before a save and after a delete', async () => {
  const { manager } = managed()
  const tokens = manager()

  expect(await reasonOf(tokens.getAccessToken('user_1'))).toBe('not_found')
  expect(await tokens.delete('user_1')).toBe(false)
  await tokens.save('user_1', signedIn())
  expect(await tokens.delete('user_1')).toBe(true)
  expect(await reasonOf(tokens.getAccessToken('user_1'))).toBe('not_found')
})

it.each([400, 401])(
  'throws refresh_rejected for invalid_grant with status %d, and sends nothing after it',
  async (status) => {
    const { manager, token, store, passSeconds } = managed()
    token.respondWith(json({ error: 'invalid_grant', error_description: 'rotated' }, status))
    await manager().save('user_1', signedIn())
    passSeconds(900)

    const error = await thrownBy(manager().getAccessToken('user_1'))

    expect(error).toMatchObject({
      reason: 'refresh_rejected',
      cause: { code: 'invalid_grant', requestId: 'req_1' },
    })
    expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
    expect(token.requests).toHaveLength(1)
    expect(await store.get(recordName)).not.toContain('refresh_0')
  },
)

it('throws refresh_rejected if there is no refresh token', async () => {
  const { manager, token, passSeconds } = managed()
  await manager().save('user_1', signedIn({ refresh_token: '' }))
  passSeconds(900)

  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
  expect(token.requests).toHaveLength(0)
})

it.each([
  {
    what: 'of another person',
    response: { id_token: idToken({ sub: 'user_2' }) },
    cause: 'subject_mismatch',
  },
  {
    what: 'of another issuer',
    response: { id_token: idToken({ iss: 'https://x.test' }) },
    cause: 'issuer_mismatch',
  },
  { what: 'with a broken id_token', response: { id_token: 'a.b.c' }, cause: 'malformed' },
])('throws refresh_rejected for tokens $what', async ({ response, cause }) => {
  const { manager, token } = await withExpiredTokens()
  token.respondWith(refreshed(1, response))

  const error = await thrownBy(manager().getAccessToken('user_1'))

  expect(error).toMatchObject({ reason: 'refresh_rejected', cause: { reason: cause } })
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
})

it.each([
  { what: 'a lost connection', step: lost },
  { what: 'a connection that ends with read EHOSTUNREACH', step: unreachable },
  { what: 'a 500', step: json({ error: 'internal_error' }, 500) },
  { what: 'a 503', step: json({ error: 'unavailable' }, 503) },
  { what: 'a 408', step: json({ error: 'timeout' }, 408) },
  {
    what: 'a redirect',
    step: () => new Response(null, { status: 302, headers: { location: 'https://x.test' } }),
  },
  { what: 'an HTML page', step: () => new Response('<html>', { status: 200 }) },
  ...[400, 401, 403, 404, 413, 429].flatMap((status) => [
    { what: `an HTML page with status ${status}`, step: () => new Response('<html>', { status }) },
    { what: `JSON of a gateway with status ${status}`, step: json({ message: 'rejected' }, status) },
    { what: `a text as error with status ${status}`, step: json({ error: 'Not Found' }, status) },
    { what: `an empty response with status ${status}`, step: () => new Response(null, { status }) },
  ]),
  { what: 'a truncated response', step: () => new Response('{"access_token":"acc') },
])('throws refresh_outcome_unknown after $what, and never sends the token again', async ({ step }) => {
  const { manager, token } = await withExpiredTokens()
  token.respondWith(step)

  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
  expect(token.requests).toHaveLength(1)
})

const wrongClock = {
  name: 'ConfigurationError',
  message: expect.stringContaining('the clock of this machine is wrong'),
}
const noKey = { name: 'TokenValidationError', reason: 'keys_unavailable' }

it.each<[what: string, reason: string, given: { readonly idToken?: object; readonly jwks?: Step }]>([
  ['keys are unavailable', 'keys_unavailable', { jwks: json({}, 503) }],
  ['the new key is not published yet', 'key_not_found', { jwks: keySet(otherKey.jwk) }],
  ['the clock is slow', 'issued_in_future', { idToken: { iat: startSeconds + 7200, exp: startSeconds + 8100 } }],
  [
    'the clock is slow, and nbf says so',
    'not_yet_valid',
    { idToken: { nbf: startSeconds + 7200, exp: startSeconds + 8100 } },
  ],
  ['the clock is fast', 'expired', { idToken: { iat: startSeconds - 7200, exp: startSeconds - 6300 } }],
])(
  'if the new id_token cannot be verified because %s, the next refresh presents the new refresh token',
  async (_, reason, given) => {
    const { manager, token, jwks } = await withExpiredTokens()
    token.respondWith(refreshed(1, given.idToken && { id_token: idToken(given.idToken) }), refreshed(2))
    if (given.jwks) jwks.respondWith(given.jwks)

    const error = await thrownBy(manager().getAccessToken('user_1'))

    expect(error).toMatchObject({ ...(reason.startsWith('key') ? noKey : wrongClock), cause: { reason } })
    expect((error as Error).message).toMatch(/^tokenManager\.getAccessToken: .* so the person stays signed in/)
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('refresh_1')
    jwks.respondWith(keySet(key.jwk))
    expect(await manager().getAccessToken('user_1')).toBe('access_2')
    expect(await bodies(token.requests)).toMatchObject([{ refresh_token: 'refresh_0' }, { refresh_token: 'refresh_1' }])
  },
)

/** Tokens of a clock that is an hour slow. */
const ofNextHour = { id_token: idToken({ iat: startSeconds + 4500, exp: startSeconds + 5400 }) }

it('a process that cannot verify a new id_token refreshes these tokens again after ten seconds', async () => {
  const { manager, token, passSeconds } = await withExpiredTokens()
  token.respondWith(refreshed(1, ofNextHour), refreshed(2))
  const tokens = manager()
  const first = await thrownBy(tokens.getAccessToken('user_1'))

  passSeconds(9.9)
  const second = await thrownBy(tokens.getAccessToken('user_1'))
  expect(second).toMatchObject(wrongClock)
  expect(second).not.toBe(first)
  expect(token.requests).toHaveLength(1)
  passSeconds(0.1)
  expect(await tokens.getAccessToken('user_1')).toBe('access_2')
})

it('an early refresh whose id_token cannot be verified returns the current tokens, for ten seconds without another', async () => {
  const { manager, token, passSeconds } = managed({ random: () => 1 })
  token.respondWith(refreshed(1, ofNextHour), refreshed(2))
  const tokens = manager()
  await tokens.save('user_1', signedIn())
  passSeconds(800)

  expect(await tokens.getAccessToken('user_1')).toBe('access_0')
  expect(await tokens.getAccessToken('user_1')).toBe('access_0')
  expect(token.requests).toHaveLength(1)
  passSeconds(10)
  expect(await tokens.getAccessToken('user_1')).toBe('access_2')
})

it('returns the tokens of a new sign-in that was saved during a refresh whose id_token cannot be verified', async () => {
  const { manager, token } = await withExpiredTokens()
  const tokens = manager()
  const late = signedIn({ access_token: 'access_new', expiresAtSeconds: signedIn().expiresAtSeconds + 900 })
  token.respondWith(async (request) => {
    await tokens.save('user_1', late)
    return refreshed(1, ofNextHour)(request)
  }, refreshed(2))

  expect(await tokens.getAccessToken('user_1')).toBe('access_new')
  expect(await tokens.getAccessToken('user_1', { minValiditySeconds: 710 })).toBe('access_new')
})

it('after an id_token that could not be verified, tokens without an id_token are rejected', async () => {
  const { manager, token } = await withExpiredTokens()
  const busy = json({ error: 'slow_down' }, 429)
  token.respondWith(refreshed(1, ofNextHour), busy, refreshed(2, { id_token: undefined }))
  await thrownBy(manager().getAccessToken('user_1'))
  await thrownBy(manager().getAccessToken('user_1'))

  expect(await thrownBy(manager().getAccessToken('user_1'))).toMatchObject({ reason: 'refresh_rejected' })
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
  expect(token.requests).toHaveLength(3)
})

it('if a response has an id_token that cannot be verified and no refresh token, the next refresh presents the same one', async () => {
  const { manager, token } = await withExpiredTokens()
  token.respondWith(refreshed(1, { ...ofNextHour, refresh_token: undefined }), refreshed(2))
  await thrownBy(manager().getAccessToken('user_1'))

  expect(await manager().getAccessToken('user_1')).toBe('access_2')
  expect(await bodies(token.requests)).toMatchObject([{ refresh_token: 'refresh_0' }, { refresh_token: 'refresh_0' }])
})

it('throws refresh_outcome_unknown if the refresh token of an id_token that cannot be verified is not stored', async () => {
  const { manager, token, store } = await withExpiredTokens()
  token.respondWith(refreshed(1, ofNextHour))
  let writes = 0
  const failing = storeWith(store, {
    compareAndSet: (...call) =>
      ++writes < 2 ? store.compareAndSet(...call) : Promise.reject(new Error('the store is down')),
  })

  expect(await reasonOf(manager({ store: failing }).getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
})

it.each([
  { what: 'a 429', step: json({ error: 'slow_down' }, 429), error: { status: 429 } },
  {
    what: 'invalid_client',
    step: json({ error: 'invalid_client' }, 401),
    error: { code: 'invalid_client', message: expect.stringContaining('Check clientId and clientSecret') },
  },
  {
    what: 'an inactive app',
    step: json({ error: 'unauthorized_client' }, 403),
    error: { status: 403, message: expect.stringContaining('Activate the application') },
  },
])('rethrows $what, and refreshes later with the same token', async ({ step, error }) => {
  const { manager, token } = await withExpiredTokens()
  token.respondWith(step, refreshed(1))

  await expect(manager().getAccessToken('user_1')).rejects.toMatchObject(error)
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
  expect((await bodies(token.requests))[1]).toMatchObject({ refresh_token: 'refresh_0' })
})

it('returns the tokens of a new sign-in after an unknown outcome', async () => {
  const { manager, token } = await withExpiredTokens()
  token.respondWith(lost)
  await reasonOf(manager().getAccessToken('user_1'))

  await manager().save(
    'user_1',
    signedIn({ access_token: 'access_new', expiresAtSeconds: signedIn().expiresAtSeconds + 900 }),
  )

  expect(await manager().getAccessToken('user_1')).toBe('access_new')
})

it('returns the tokens of a new sign-in that was saved during a refresh', async () => {
  const { manager, token } = await withExpiredTokens()
  const late = signedIn({ access_token: 'access_new', expiresAtSeconds: signedIn().expiresAtSeconds + 900 })
  token.respondWith(async (request) => {
    await manager().save('user_1', late)
    return refreshed(1)(request)
  })

  expect(await manager().getAccessToken('user_1')).toBe('access_new')
})

it('throws not_found if the person signed out during a refresh', async () => {
  const { manager, token } = await withExpiredTokens()
  token.respondWith(async (request) => {
    await manager().delete('user_1')
    return refreshed(1)(request)
  })

  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('not_found')
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('not_found')
})

it('waits for another process that refreshes, and returns what it stored', async () => {
  const { manager, token, store, clock, passSeconds } = managed()
  const tokens = manager()
  await tokens.save('user_1', signedIn())
  passSeconds(900)
  await store.set(lockName, 'another process', { ttlMs: 60_000 })
  const waits: number[] = []
  clock.sleep = async (ms) => {
    waits.push(ms)
    if (waits.length === 3) await tokens.save('user_1', signedIn({ access_token: 'theirs', expiresAtSeconds: 4e9 }))
  }

  expect(await manager().getAccessToken('user_1')).toBe('theirs')
  expect(token.requests).toHaveLength(0)
  expect(waits).toHaveLength(3)
})

it('throws StoreError if the lock is held for twice lockTtlMs', async () => {
  const { manager, token, store } = await withExpiredTokens({ random: () => 1 })
  await store.set(lockName, 'other processes')

  const refreshing = manager().getAccessToken('user_1')
  await expect(refreshing).rejects.toBeInstanceOf(StoreError)
  await expect(refreshing).rejects.toThrow('could not be refreshed within twice lockTtlMs')
  expect(token.requests).toHaveLength(0)
})

it.each(['get', 'set', 'compareAndSet'] as const)('sends nothing if %s of the store fails', async (step) => {
  const shared = memoryStore()
  const failing = async () => {
    throw new Error('connection lost')
  }
  const { manager, token, passSeconds } = managed({ store: shared })
  await manager().save('user_1', signedIn())
  passSeconds(900)

  const tokens = manager({ store: storeWith(shared, { [step]: failing }) })

  const read = tokens.getAccessToken('user_1')
  await expect(read).rejects.toBeInstanceOf(StoreError)
  await expect(read).rejects.toThrow(`the store of tokens failed at ${step}`)
  expect(token.requests).toHaveLength(0)
})

it('releases the lock after a success and after a failure', async () => {
  const { manager, token, store, passSeconds } = await withExpiredTokens()
  token.respondWith(refreshed(1), lost)
  await manager().getAccessToken('user_1')
  expect(await store.get(lockName)).toBeNull()
  passSeconds(900)
  await reasonOf(manager().getAccessToken('user_1'))

  expect(await store.get(lockName)).toBeNull()
})

it('stores ciphertext if there is an encryptionKey, without any token or name', async () => {
  const { manager, store, passSeconds } = managed({ encryptionKey: newKey })
  await manager().save('user_1', signedIn())
  const text = (await store.get(recordName)) ?? ''

  const plain = [text, ...Object.values(JSON.parse(text)).map((part) => Buffer.from(`${part}`, 'base64url').toString())]
  for (const secret of ['access_0', 'refresh_0', 'user_1', 'held', signedIn().id_token])
    expect(plain.join('\n')).not.toContain(secret)
  passSeconds(900)
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
})

it('decrypts with any of several encryption keys, and encrypts with the first one', async () => {
  const { manager, passSeconds } = managed()
  await manager({ encryptionKey: oldKey }).save('user_1', signedIn())

  expect(await manager({ encryptionKey: [newKey, oldKey] }).getAccessToken('user_1')).toBe('access_0')
  passSeconds(900)
  await manager({ encryptionKey: [newKey, oldKey] }).getAccessToken('user_1')
  expect(await manager({ encryptionKey: newKey }).getAccessToken('user_1')).toBe('access_1')
})

it('encrypts the tokens of a key of any length', async () => {
  const { manager } = managed({ encryptionKey: newKey })
  const key = 'é'.repeat(200_000)

  await manager().save(key, signedIn())

  expect(await manager().getAccessToken(key)).toBe('access_0')
  expect(await manager().delete(key)).toBe(true)
})

const isUndefined = 'is missing: check the variable that you pass'
const hasNone = 'is missing: check the variable that you pass'
const notASecret =
  'must be one visible line without spaces around it, not undefined or null: check the variable that you pass'
const isWrong = 'must be 32 bytes, as a Uint8Array or in base64url, not'

// A variable that is not set must not turn encryption off.
it.each<[message: string, encryptionKey: unknown]>([
  [`encryptionKey ${isUndefined}`, undefined],
  [`encryptionKey ${hasNone}`, [undefined, undefined]],
  [`encryptionKey[2] ${notASecret}`, [newKey, undefined, `${oldKey}\n`]],
  [`encryptionKey ${notASecret}`, ` ${oldKey}`],
  [`encryptionKey ${isWrong} a string of 5 characters`, 'short'],
  [`encryptionKey[0] ${isWrong} 31 bytes`, [new Uint8Array(31)]],
  [`encryptionKey ${isWrong} a number`, 7],
  [`encryptionKey ${hasNone}`, []],
])('says what is wrong with the encryption key, and how to generate one: %s', (message, encryptionKey) => {
  const { client } = issuer()
  const options = { oidc: client(), store: memoryStore(), encryptionKey } as TokenManagerOptions

  expect(() => createTokenManager(options)).toThrow(
    new ConfigurationError({
      message: `createTokenManager: ${message}. To generate one, run: node -e "console.log(require('node:crypto').randomBytes(32).toString('base64url'))"`,
    }),
  )
})

it('ignores undefined in a list of encryption keys', async () => {
  const { manager } = managed()
  await manager({ encryptionKey: [undefined, oldKey] }).save('user_1', signedIn())
  expect(await manager({ encryptionKey: [newKey, undefined, oldKey] }).getAccessToken('user_1')).toBe('access_0')
})

it('throws undecryptable for another key, another name, changed bytes, and plain text', async () => {
  const { manager, store } = managed()
  const encrypted = manager({ encryptionKey: newKey })
  await encrypted.save('user_1', signedIn())
  const text = (await store.get(recordName)) ?? ''
  const { tag, ...rest } = JSON.parse(text)

  expect(await reasonOf(manager({ encryptionKey: oldKey }).getAccessToken('user_1'))).toBe('undecryptable')
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('undecryptable')
  await store.set('tokens:user_2', text)
  expect(await reasonOf(encrypted.getAccessToken('user_2'))).toBe('undecryptable')
  await store.set(recordName, JSON.stringify({ ...rest, tag: tag.replace(/^./, tag.startsWith('A') ? 'B' : 'A') }))
  expect(await reasonOf(encrypted.getAccessToken('user_1'))).toBe('undecryptable')
  await manager().save('user_1', signedIn())
  expect(await reasonOf(encrypted.getAccessToken('user_1'))).toBe('undecryptable')
  const tokensOf = (over: object) => JSON.stringify({ state: 'held', tokens: { ...signedIn(), ...over } })
  const malformed = [{ access_token: 7 }, { expiresAtSeconds: '1' }, { expires_in: null }].map(tokensOf)
  for (const odd of ['', 'null', '7', '[]', '{"state":"held"}', ...malformed]) {
    await store.set(recordName, odd)
    expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('undecryptable')
  }
})

it.each([
  ['oidc', { oidc: {} }],
  ['store', { store: {} }],
  ['oidc', { oidc: undefined }],
  ['store', { store: undefined }],
  ['lockTtlMs', { lockTtlMs: 3_600_001 }],
  ['lockTtlMs', { lockTtlMs: 999 }],
  ['lockTtlMs', { lockTtlMs: Number.NaN }],
] as const)('throws a ConfigurationError for a bad %s', (name, options) => {
  const { client, store } = managed()
  const settings = { oidc: client(), store, ...options } as unknown as TokenManagerOptions

  expect(() => createTokenManager(settings)).toThrow(ConfigurationError)
  expect(() => createTokenManager(settings)).toThrow(
    new RegExp(`^createTokenManager: ${name} (?:must be|is missing: pass)`),
  )
})

it.each([1_000, 3_600_000])('accepts a lockTtlMs of %d', (lockTtlMs) => {
  const { client, store } = managed()

  expect(() => createTokenManager({ oidc: client(), store, lockTtlMs })).not.toThrow()
})

it('rejects an empty key, a lone surrogate, a bad validity and invalid tokens', async () => {
  const { manager } = managed()
  const tokens = manager()
  const nothing = {} as ReturnType<typeof signedIn>

  const rejected: [call: Promise<unknown>, operation: string, path: string][] = [
    [tokens.save('', signedIn()), 'tokenManager.save', 'key'],
    [tokens.save('user_\ud800', signedIn()), 'tokenManager.save', 'key'],
    [tokens.save(7 as never, signedIn()), 'tokenManager.save', 'key'],
    [tokens.save('user_1', nothing), 'tokenManager.save', 'tokens'],
    [tokens.getAccessToken(''), 'tokenManager.getAccessToken', 'key'],
    [tokens.delete(''), 'tokenManager.delete', 'key'],
    ...[-1, Number.NaN, Number.POSITIVE_INFINITY].map((minValiditySeconds): [Promise<unknown>, string, string] => [
      tokens.getAccessToken('user_1', { minValiditySeconds }),
      'tokenManager.getAccessToken',
      'minValiditySeconds',
    ]),
  ]
  for (const [call, operation, path] of rejected) {
    const error: unknown = await call.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidParamsError)
    const message = expect.stringMatching(/^must be /)
    expect(error).toMatchObject({ operation, attempts: 0, issues: [{ path, message }] })
  }
})

import { randomBytes } from 'node:crypto'
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
import { idToken, issuer, json, keySet } from '../issuer.ts'
import { due, lockName, managed, recordName, renewed, signedIn, storeWith } from '../managed.ts'

const [newKey, oldKey] = [randomBytes(32), randomBytes(32).toString('base64url')]

const lost = () => {
  throw new TypeError('fetch failed')
}

const bodies = (requests: readonly Request[]) => Promise.all(requests.map((request) => request.json()))

/** What each refusal tells the developer to do, or why. */
const says: Record<TokenManagerError['reason'], RegExp> = {
  not_found: /no tokens are kept under this key/,
  undecryptable: /cannot be read: (?:it is (?:not )?encrypted|no encryptionKey opens it)/,
  refresh_rejected:
    /^(?:the service refused|there is no refresh token|the new tokens must not).*: sign in again$/,
  refresh_outcome_unknown:
    /^(?:the refresh token may be spent|a process that was|the new tokens could).*: sign in again$/,
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error) => {
      if (!(error instanceof TokenManagerError)) return error
      expect(error.message).toMatch(says[error.reason])
      return error.reason
    },
  )

it('gives the access token that was saved while it is good for long enough', async () => {
  const { manager, token } = managed()
  const tokens = manager()
  await tokens.save('user_1', signedIn())

  expect(await tokens.getAccessToken('user_1')).toBe('access_0')
  expect(token.requests).toHaveLength(0)
})

it('refreshes with what is kept once the token is due, and keeps the new set before giving it', async () => {
  const { manager, token, store, passSeconds } = managed()
  token.answers(renewed(1), renewed(2))
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
])('with minValiditySeconds $minValiditySeconds sends $requests refreshes after $after s', async (wanted) => {
  const { manager, token, passSeconds } = managed()
  await manager().save('user_1', signedIn())
  passSeconds(wanted.after)

  await manager().getAccessToken('user_1', wanted)

  expect(token.requests).toHaveLength(wanted.requests)
})

it('refreshes once for 50 callers in each of 8 managers on one store', async () => {
  const { manager, token, clock } = await due()
  clock.sleep = () => new Promise(setImmediate)
  token.answers(renewed(1), json({ error: 'invalid_grant' }, 400))

  const all = Array.from({ length: 8 }, () => manager()).flatMap((one) =>
    Array.from({ length: 50 }, () => one.getAccessToken('user_1')),
  )

  expect(new Set(await Promise.all(all))).toEqual(new Set(['access_1']))
  expect(token.requests).toHaveLength(1)
})

it('refreshes a little early by chance, and the others go on with the token they have', async () => {
  const { manager, token, passSeconds } = managed({ random: () => 0.5 })
  let answered = () => {}
  const wait = new Promise<void>((resolve) => {
    answered = resolve
  })
  token.answers(async (request) => {
    await wait
    return renewed(1)(request)
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
  answered()
  expect(await early).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('gives the token at hand when an early refresh fails and leaves the refresh token good', async () => {
  const { manager, token, passSeconds } = managed({ random: () => 1 })
  token.answers(json({ error: 'slow_down' }, 429), renewed(1))
  await manager().save('user_1', signedIn())
  passSeconds(830)

  expect(await manager().getAccessToken('user_1')).toBe('access_0')
  passSeconds(11)
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
})

it('costs one read of the store while an early refresh is under way, and after one whose outcome is unknown', async () => {
  const reads: string[] = []
  const kept = memoryStore()
  const counting = storeWith(kept, {
    get(name) {
      reads.push(name)
      return kept.get(name)
    },
    set(name, ...given) {
      reads.push(`set ${name}`)
      return kept.set(name, ...given)
    },
  })
  const { manager, token, passSeconds } = managed({ store: counting, random: () => 1 })
  let answered = () => {}
  const wait = new Promise<void>((resolve) => {
    answered = resolve
  })
  token.answers(() => wait.then(lost))
  const tokens = manager()
  await tokens.save('user_1', signedIn())
  passSeconds(830)
  const early = tokens.getAccessToken('user_1')
  await expect.poll(() => token.requests.length).toBe(1)

  reads.length = 0
  await tokens.getAccessToken('user_1')
  expect(reads).toEqual([recordName])
  answered()
  expect(await early).toBe('access_0')
  reads.length = 0
  expect(await tokens.getAccessToken('user_1')).toBe('access_0')
  expect(reads).toEqual([recordName])
  passSeconds(11)
  expect(await reasonOf(tokens.getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
})

it('tells a refusal at an early refresh at once', async () => {
  const { manager, token, passSeconds } = managed({ random: () => 1 })
  token.answers(json({ error: 'invalid_grant' }, 400))
  await manager().save('user_1', signedIn())
  passSeconds(830)

  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
})

it('looks again once it has the lock: what another process stored meanwhile is taken', async () => {
  const kept = memoryStore()
  const { manager, token } = await due({ store: kept })
  token.answers(renewed(1), renewed(2))
  const other = manager()
  const late = storeWith(kept, {
    async set(...given) {
      await other.getAccessToken('user_1')
      return kept.set(...given)
    },
  })

  expect(await manager({ store: late }).getAccessToken('user_1')).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('does not refresh tokens that somebody replaced while it had the lock', async () => {
  const kept = memoryStore()
  const { manager, token } = await due({ store: kept })
  const late = storeWith(kept, {
    async compareAndSet(...given) {
      await manager().save('user_1', signedIn({ access_token: 'access_new', expires_at: 4e9 }))
      return kept.compareAndSet(...given)
    },
  })

  expect(await manager({ store: late }).getAccessToken('user_1')).toBe('access_new')
  expect(token.requests).toHaveLength(0)
})

it('takes a lock for its own whose write was answered by nobody and sent again', async () => {
  const kept = memoryStore()
  const { manager } = await due({ store: kept })
  const repeating = storeWith(kept, {
    async set(...given) {
      await kept.set(...given)
      return kept.set(...given)
    },
  })

  expect(await manager({ store: repeating }).getAccessToken('user_1')).toBe('access_1')
})

it('refreshes again as often as the tokens are due', async () => {
  const { manager, token, passSeconds } = managed()
  token.answers(renewed(1), renewed(2), renewed(3))
  const tokens = manager()
  await tokens.save('user_1', signedIn())

  for (const n of [1, 2, 3]) {
    passSeconds(841)
    expect(await tokens.getAccessToken('user_1')).toBe(`access_${n}`)
  }
})

it('goes on for a caller who needs the tokens for longer than those that it waited for last', async () => {
  const kept = memoryStore()
  const { manager, token, passSeconds } = await due({ store: kept })
  token.answers(renewed(1, { expires_in: 100 }), renewed(2))
  let slow = true
  const late = storeWith(kept, {
    async compareAndSet(name, expected, value, options) {
      if (slow && value.includes('access_1')) {
        slow = false
        passSeconds(30)
      }
      return kept.compareAndSet(name, expected, value, options)
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

it('gives the tokens also where the lock cannot be freed', async () => {
  const kept = memoryStore()
  const { manager } = await due({ store: kept })
  const failing = storeWith(kept, {
    async compareAndDelete() {
      throw new Error('connection lost')
    },
  })

  expect(await manager({ store: failing }).getAccessToken('user_1')).toBe('access_1')
})

it('passes on what kept a refresh from being sent, and may refresh later with the same token', async () => {
  const { manager, token, client } = await due()
  const closed = client()
  await closed.close()
  const refused = client({ maxRetries: 0, fetch: undefined, baseUrl: 'http://127.0.0.1:1' })

  await expect(manager({ oidc: closed }).getAccessToken('user_1')).rejects.toBeInstanceOf(ConfigurationError)
  await expect(manager({ oidc: refused }).getAccessToken('user_1')).rejects.toMatchObject({
    mayHaveArrived: false,
  })
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('gives a refresh four fifths of the time that the lock holds', async () => {
  const { manager, client } = await due({ lockTtlMs: 10_000 })
  const given: unknown[] = []
  const oidc = client()
  const refresh: typeof oidc.refresh = (refreshToken, params) => {
    given.push(params)
    return oidc.refresh(refreshToken, params)
  }
  await manager({ oidc: { refresh } }).getAccessToken('user_1')

  expect(given).toEqual([{ deadlineMs: 8_000, expected: { sub: 'user_1', iss: expect.any(String) } }])
})

it('keeps its own copy of the encryption key', async () => {
  const bytes = Uint8Array.from(newKey)
  const { manager } = managed()
  const tokens = manager({ encryptionKey: bytes })
  bytes.fill(0)
  await tokens.save('user_1', signedIn())

  expect(await manager({ encryptionKey: newKey }).getAccessToken('user_1')).toBe('access_0')
})

it('keeps what an answer leaves out: the refresh token, the id_token and its claims', async () => {
  const { manager, token, store, passSeconds } = managed()
  token.answers(renewed(1, { refresh_token: undefined, id_token: undefined }))
  const before = signedIn()
  await manager().save('user_1', before)
  passSeconds(900)
  await manager().getAccessToken('user_1')

  const { tokens } = JSON.parse((await store.get(recordName)) ?? '')
  expect(tokens).toMatchObject({ access_token: 'access_1', refresh_token: 'refresh_0' })
  expect(tokens).toMatchObject({ id_token: before.id_token, claims: before.claims })
})

it('tells not_found before a save and after a delete', async () => {
  const { manager } = managed()
  const tokens = manager()

  expect(await reasonOf(tokens.getAccessToken('user_1'))).toBe('not_found')
  expect(await tokens.delete('user_1')).toBe(false)
  await tokens.save('user_1', signedIn())
  expect(await tokens.delete('user_1')).toBe(true)
  expect(await reasonOf(tokens.getAccessToken('user_1'))).toBe('not_found')
})

it.each([400, 401])(
  'tells refresh_rejected for invalid_grant under %d, and asks no second time',
  async (status) => {
    const { manager, token, store, passSeconds } = managed()
    token.answers(json({ error: 'invalid_grant', error_description: 'rotated' }, status))
    await manager().save('user_1', signedIn())
    passSeconds(900)

    const error: unknown = await manager()
      .getAccessToken('user_1')
      .catch((thrown) => thrown)

    expect(error).toMatchObject({
      reason: 'refresh_rejected',
      cause: { code: 'invalid_grant', requestId: 'req_1' },
    })
    expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
    expect(token.requests).toHaveLength(1)
    expect(await store.get(recordName)).not.toContain('refresh_0')
  },
)

it('tells refresh_rejected where there is no refresh token', async () => {
  const { manager, token, passSeconds } = managed()
  await manager().save('user_1', signedIn({ refresh_token: null }))
  passSeconds(900)

  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
  expect(token.requests).toHaveLength(0)
})

it.each([
  { what: 'of somebody else', answer: { id_token: idToken({ sub: 'user_2' }) }, cause: 'subject_mismatch' },
  {
    what: 'of another issuer',
    answer: { id_token: idToken({ iss: 'https://x.test' }) },
    cause: 'issuer_mismatch',
  },
  { what: 'with a broken id_token', answer: { id_token: 'a.b.c' }, cause: 'malformed' },
])('gives out no tokens $what', async ({ answer, cause }) => {
  const { manager, token } = await due()
  token.answers(renewed(1, answer))

  const error: unknown = await manager()
    .getAccessToken('user_1')
    .catch((thrown) => thrown)

  expect(error).toMatchObject({ reason: 'refresh_rejected', cause: { reason: cause } })
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_rejected')
})

it.each([
  { what: 'a lost connection', step: lost },
  { what: 'a 500', step: json({ error: 'internal_error' }, 500) },
  { what: 'a 503', step: json({ error: 'unavailable' }, 503) },
  { what: 'a 408', step: json({ error: 'timeout' }, 408) },
  {
    what: 'a redirect',
    step: () => new Response(null, { status: 302, headers: { location: 'https://x.test' } }),
  },
  { what: 'a page', step: () => new Response('<html>', { status: 200 }) },
  { what: 'half an answer', step: () => new Response('{"access_token":"acc') },
])('after $what tells refresh_outcome_unknown and never presents the token again', async ({ step }) => {
  const { manager, token } = await due()
  token.answers(step)

  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
  expect(token.requests).toHaveLength(1)
})

it('tells refresh_outcome_unknown when the new id_token cannot be checked for want of keys', async () => {
  const { manager, token, jwks } = await due()
  token.answers(renewed(1))
  jwks.answers(json({}, 503))

  const error: unknown = await manager()
    .getAccessToken('user_1')
    .catch((thrown) => thrown)

  expect(error).toMatchObject({ reason: 'refresh_outcome_unknown', cause: { reason: 'keys_unavailable' } })
  jwks.answers(keySet())
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
  expect(token.requests).toHaveLength(1)
})

it.each([
  { what: 'a 429', step: json({ error: 'slow_down' }, 429), error: { status: 429 } },
  { what: 'invalid_client', step: json({ error: 'invalid_client' }, 401), error: { code: 'invalid_client' } },
  { what: 'an inactive app', step: json({ error: 'unauthorized_client' }, 403), error: { status: 403 } },
])('passes $what on as it is, and may refresh later with the same token', async ({ step, error }) => {
  const { manager, token } = await due()
  token.answers(step, renewed(1))

  await expect(manager().getAccessToken('user_1')).rejects.toMatchObject(error)
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
  expect((await bodies(token.requests))[1]).toMatchObject({ refresh_token: 'refresh_0' })
})

it('gives every caller of one refresh the same failure', async () => {
  const { manager, token, passSeconds } = managed()
  token.answers(lost)
  const tokens = manager()
  await tokens.save('user_1', signedIn())
  passSeconds(900)

  const reasons = await Promise.all(
    Array.from({ length: 20 }, () => reasonOf(tokens.getAccessToken('user_1'))),
  )

  expect(new Set(reasons)).toEqual(new Set(['refresh_outcome_unknown']))
  expect(token.requests).toHaveLength(1)
})

it('goes on after an unknown outcome once the person has signed in again', async () => {
  const { manager, token } = await due()
  token.answers(lost)
  await reasonOf(manager().getAccessToken('user_1'))

  await manager().save(
    'user_1',
    signedIn({ access_token: 'access_new', expires_at: signedIn().expires_at + 900 }),
  )

  expect(await manager().getAccessToken('user_1')).toBe('access_new')
})

it('gives what a new sign-in saved while the old tokens were being refreshed', async () => {
  const { manager, token } = await due()
  const late = signedIn({ access_token: 'access_new', expires_at: signedIn().expires_at + 900 })
  token.answers(async (request) => {
    await manager().save('user_1', late)
    return renewed(1)(request)
  })

  expect(await manager().getAccessToken('user_1')).toBe('access_new')
})

it('gives nothing to somebody who signed out while their tokens were being refreshed', async () => {
  const { manager, token } = await due()
  token.answers(async (request) => {
    await manager().delete('user_1')
    return renewed(1)(request)
  })

  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('not_found')
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('not_found')
})

it('waits for a process that is at the refresh, and takes what it stored', async () => {
  const { manager, token, store, clock, passSeconds } = managed()
  const tokens = manager()
  await tokens.save('user_1', signedIn())
  passSeconds(900)
  await store.set(lockName, 'another process', { ttlMs: 60_000 })
  const waits: number[] = []
  clock.sleep = async (ms) => {
    waits.push(ms)
    if (waits.length === 3) await tokens.save('user_1', signedIn({ access_token: 'theirs', expires_at: 4e9 }))
  }

  expect(await manager().getAccessToken('user_1')).toBe('theirs')
  expect(token.requests).toHaveLength(0)
  expect(waits).toHaveLength(3)
})

it('takes over when a process died with the lock before it marked a refresh', async () => {
  const { manager, token, store } = await due({ random: () => 1 })
  token.answers(renewed(1))
  await store.set(lockName, 'a dead process', { ttlMs: 60_000 })

  expect(await manager().getAccessToken('user_1')).toBe('access_1')
})

it('tells StoreError when the lock is held for twice its lifetime', async () => {
  const { manager, token, store } = await due({ random: () => 1 })
  await store.set(lockName, 'one process after the other')

  await expect(manager().getAccessToken('user_1')).rejects.toBeInstanceOf(StoreError)
  expect(token.requests).toHaveLength(0)
})

it.each(['get', 'set', 'compareAndSet'] as const)(
  'sends nothing when the store fails at %s',
  async (step) => {
    const kept = memoryStore()
    const failing = async () => {
      throw new Error('connection lost')
    }
    const { manager, token, passSeconds } = managed({ store: kept })
    await manager().save('user_1', signedIn())
    passSeconds(900)

    const tokens = manager({ store: storeWith(kept, { [step]: failing }) })

    await expect(tokens.getAccessToken('user_1')).rejects.toBeInstanceOf(StoreError)
    expect(token.requests).toHaveLength(0)
  },
)

it('stores the new set over a blip of the store, also where only the answer was lost', async () => {
  const kept = memoryStore()
  const { manager, token } = await due({ store: kept })
  token.answers(renewed(1))
  let writes = 0
  const tokens = manager({
    store: storeWith(kept, {
      async compareAndSet(...given) {
        writes++
        // The mark is the first; the new set is lost once, and then told to be lost although it was written.
        if (writes === 2) throw new Error('connection lost')
        const written = await kept.compareAndSet(...given)
        if (writes === 3) throw new Error('connection lost')
        return written
      },
    }),
  })

  expect(await tokens.getAccessToken('user_1')).toBe('access_1')
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('tells refresh_outcome_unknown when the new set cannot be stored', async () => {
  const kept = memoryStore()
  const { manager, token } = await due({ store: kept })
  let writes = 0
  const tokens = manager({
    store: storeWith(kept, {
      async compareAndSet(...given) {
        if (++writes > 1) throw new Error('connection lost')
        return kept.compareAndSet(...given)
      },
    }),
  })

  expect(await reasonOf(tokens.getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('refresh_outcome_unknown')
  expect(token.requests).toHaveLength(1)
})

it('frees the lock after a success and after a failure', async () => {
  const { manager, token, store, passSeconds } = await due()
  token.answers(renewed(1), lost)
  await manager().getAccessToken('user_1')
  expect(await store.get(lockName)).toBeNull()
  passSeconds(900)
  await reasonOf(manager().getAccessToken('user_1'))

  expect(await store.get(lockName)).toBeNull()
})

it('keeps ciphertext under an encryptionKey, with no token and no name in it', async () => {
  const { manager, store, passSeconds } = managed({ encryptionKey: newKey })
  await manager().save('user_1', signedIn())
  const text = (await store.get(recordName)) ?? ''

  const plain = [
    text,
    ...Object.values(JSON.parse(text)).map((part) => Buffer.from(`${part}`, 'base64url').toString()),
  ]
  for (const secret of ['access_0', 'refresh_0', 'user_1', 'held', signedIn().id_token])
    expect(plain.join('\n')).not.toContain(secret)
  passSeconds(900)
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
})

it('opens with any of several encryption keys, and seals with the first', async () => {
  const { manager, passSeconds } = managed()
  await manager({ encryptionKey: oldKey }).save('user_1', signedIn())

  expect(await manager({ encryptionKey: [newKey, oldKey] }).getAccessToken('user_1')).toBe('access_0')
  passSeconds(900)
  await manager({ encryptionKey: [newKey, oldKey] }).getAccessToken('user_1')
  expect(await manager({ encryptionKey: newKey }).getAccessToken('user_1')).toBe('access_1')
})

it('refuses an encryptionKey that is given and undefined, since a variable that is not set must not turn it off', () => {
  const { client } = issuer()
  const options = { oidc: client(), store: memoryStore(), encryptionKey: undefined }

  expect(() => createTokenManager(options as never)).toThrow(
    new ConfigurationError('encryptionKey is undefined: leave it out for plain text in the store'),
  )
})

it('tells undecryptable for another key, another name, changed bytes, and plain text', async () => {
  const { manager, store } = managed()
  const sealed = manager({ encryptionKey: newKey })
  await sealed.save('user_1', signedIn())
  const text = (await store.get(recordName)) ?? ''
  const { tag, ...rest } = JSON.parse(text)

  expect(await reasonOf(manager({ encryptionKey: oldKey }).getAccessToken('user_1'))).toBe('undecryptable')
  expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('undecryptable')
  await store.set('tokens:user_2', text)
  expect(await reasonOf(sealed.getAccessToken('user_2'))).toBe('undecryptable')
  await store.set(
    recordName,
    JSON.stringify({ ...rest, tag: tag.replace(/^./, tag.startsWith('A') ? 'B' : 'A') }),
  )
  expect(await reasonOf(sealed.getAccessToken('user_1'))).toBe('undecryptable')
  await manager().save('user_1', signedIn())
  expect(await reasonOf(sealed.getAccessToken('user_1'))).toBe('undecryptable')
  for (const odd of ['', 'null', '[]', '{"state":"held"}', '{"state":"held","tokens":{"access_token":7}}']) {
    await store.set(recordName, odd)
    expect(await reasonOf(manager().getAccessToken('user_1'))).toBe('undecryptable')
  }
})

it.each([
  ['oidc', { oidc: {} }],
  ['store', { store: {} }],
  ['encryptionKey', { encryptionKey: 'short' }],
  ['encryptionKey', { encryptionKey: new Uint8Array(31) }],
  ['encryptionKey', { encryptionKey: [] }],
  ['encryptionKey', { encryptionKey: 7 }],
  ['oidc', { oidc: undefined }],
  ['store', { store: undefined }],
  ['lockTtlMs', { lockTtlMs: 3_600_001 }],
  ['lockTtlMs', { lockTtlMs: 999 }],
  ['lockTtlMs', { lockTtlMs: Number.NaN }],
] as const)('refuses a bad %s when the manager is made', (name, options) => {
  const { client, store } = managed()
  const settings = { oidc: client(), store, ...options } as unknown as TokenManagerOptions

  expect(() => createTokenManager(settings)).toThrow(ConfigurationError)
  expect(() => createTokenManager(settings)).toThrow(new RegExp(`^${name} (?:must be|has no)`))
})

it.each([1_000, 3_600_000])('takes a lockTtlMs of %d', (lockTtlMs) => {
  const { client, store } = managed()

  expect(() => createTokenManager({ oidc: client(), store, lockTtlMs })).not.toThrow()
})

it('refuses an empty key, a lone surrogate, a bad validity and tokens that are none', async () => {
  const { manager } = managed()
  const tokens = manager()
  const nothing = {} as ReturnType<typeof signedIn>

  const refused: [call: Promise<unknown>, operation: string, path: string][] = [
    [tokens.save('', signedIn()), 'tokenManager.save', 'key'],
    [tokens.save('user_\ud800', signedIn()), 'tokenManager.save', 'key'],
    [tokens.save(7 as never, signedIn()), 'tokenManager.save', 'key'],
    [tokens.save('user_1', nothing), 'tokenManager.save', 'tokens'],
    [tokens.getAccessToken(''), 'tokenManager.getAccessToken', 'key'],
    [tokens.delete(''), 'tokenManager.delete', 'key'],
    ...[-1, Number.NaN, Number.POSITIVE_INFINITY].map(
      (minValiditySeconds): [Promise<unknown>, string, string] => [
        tokens.getAccessToken('user_1', { minValiditySeconds }),
        'tokenManager.getAccessToken',
        'minValiditySeconds',
      ],
    ),
  ]
  for (const [call, operation, path] of refused) {
    const refusal: unknown = await call.catch((thrown: unknown) => thrown)
    expect(refusal).toBeInstanceOf(InvalidParamsError)
    const message = expect.stringMatching(/^must be /)
    expect(refusal).toMatchObject({ operation, attempts: 0, issues: [{ path, message }] })
  }
})

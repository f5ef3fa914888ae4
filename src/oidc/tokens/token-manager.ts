import { invalidParam } from '../../errors/call-errors.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import { TokenManagerError, type TokenValidationError } from '../../errors/sign-in-errors.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import { checkCallOptions } from '../../http/params/params.ts'
import { applicationOf } from '../../http/service-client.ts'
import { observationOf } from '../../observe/observation.ts'
import { observeMethods, Stream } from '../../observe/stream.ts'
import { checkMethods, checkOptions, milliseconds } from '../../options/rules.ts'
import { writeRecord } from '../../runtime/logger.ts'
import { LruMap } from '../../runtime/lru-map.ts'
import { bindMethods } from '../../runtime/public-class.ts'
import { SharedWork } from '../../runtime/shared-work.ts'
import { type Timing, timingOf } from '../../runtime/timing.ts'
import type { Stored } from '../../stores/cell.ts'
import { exclusively, type Lease, leased } from '../../stores/exclusive.ts'
import type { Store } from '../../stores/store.ts'
import { failedRefresh, notChecked } from './failed-refresh.ts'
import {
  type EncryptionKeys,
  type HeldRecord,
  isTokenSet,
  type LiveRecord,
  noAccessToken,
  plainText,
  type TokenRecord,
  TokenRecordStore,
  tokenEncryption,
} from './token-record-store.ts'
import type { RefreshParams, TokenSet } from './token-set.ts'

/** What a token manager needs of a client. An `OidcClient` has it, and so can a fake of your tests. */
export interface TokenRefresher {
  /**
   * Exchanges a refresh token for new tokens, and uses it up.
   *
   * @param params `expected`: whose tokens these are
   * @param options `deadlineMs`: maximum time for the call, in milliseconds
   *
   * @example
   * const tokens = await oidc.refresh(refreshToken, { expected: { sub: claims.sub } }, { deadlineMs: 10_000 })
   */
  refresh(refreshToken: string, params: RefreshParams, options: RequestOptions): PromiseLike<TokenSet>
}

/** Options of {@link createTokenManager}. They are read once. Later changes to the object have no effect. */
export interface TokenManagerOptions {
  /** The client that refreshes the tokens. */
  readonly oidc: TokenRefresher
  /** Stores the tokens. Use a shared store if you run more than one process. */
  readonly store: Store
  /**
   * Encrypts the tokens in the store (A256GCM): 32 bytes, as a Uint8Array or in base64url. If you pass several, the
   * first one encrypts and all decrypt. To rotate the key, deploy `[old, new]`, then `[new, old]`, and `[new]` after
   * every token set was refreshed. Otherwise, processes that still run cannot decrypt what the new ones store.
   *
   * @default none: the store contains plain text
   * @throws {ConfigurationError} if it is passed and `undefined`, because an environment variable that is not set must
   *   not turn encryption off
   */
  readonly encryptionKey?: EncryptionKeys | undefined
  /**
   * Maximum time for which one process holds the lock of a refresh, in milliseconds, 1,000 to 3,600,000. A process
   * starts its request in the first half, and the request must end within four fifths. If a process crashes
   * during a refresh, or is paused for longer, callers in other processes get `refresh_outcome_unknown` after this
   * time.
   *
   * @default 60_000
   */
  readonly lockTtlMs?: number | undefined
}

/** Stores the tokens of many people, and refreshes each token set once, for any number of callers and processes. */
export interface TokenManager {
  /**
   * Stores the tokens of a sign-in. They replace what was stored under this key.
   *
   * @param key whose tokens these are: the id of your user or session
   * @throws {InvalidParamsError} `key` is empty, or `tokens` is not a token set
   * @throws {StoreError}
   *
   * @example
   * await manager.save(user.id, tokens)
   */
  save(key: string, tokens: TokenSet): Promise<void>
  /**
   * Returns an access token that is valid for some time, and refreshes it first if needed. A process may refresh
   * shortly before that, at a random time, so that not all processes find the same token expired at the same moment.
   * The others use the current token meanwhile.
   *
   * @param options `minValiditySeconds`: how long the token must remain valid, in seconds, 0 or more, default 60. At
   *   most four fifths of the token's lifetime are required
   * @throws {TokenManagerError} no tokens are stored, or the person must sign in again; see `reason`
   * @throws {ConfigurationError} the new id_token was rejected because the clock of this machine is wrong
   * @throws {TokenValidationError} `keys_unavailable`: it could not be checked without the issuer's key. In both cases, the
   *   new refresh token is stored, and the process waits 10 seconds before it refreshes these tokens again
   * @throws {ApiError | ConnectionError | TimeoutError} the refresh failed, and the refresh token is still unused:
   *   call again later
   * @throws {StoreError} the store failed: call again later
   *
   * @example
   * const accessToken = await manager.getAccessToken(user.id, { minValiditySeconds: 120 })
   */
  getAccessToken(key: string, options?: { readonly minValiditySeconds?: number | undefined }): Promise<string>
  /**
   * Deletes the tokens. Call it when a person signs out.
   *
   * @returns whether tokens were stored
   *
   * @example
   * const wasSignedIn = await manager.delete(user.id)
   */
  delete(key: string): Promise<boolean>
}

const defaultLockTtlMs = 60_000
const defaultMinValiditySeconds = 60
/** Part of a token's lifetime in which it is always valid for long enough. Otherwise no token might ever be. */
const alwaysValidPart = 0.2
/** How long this process refreshes no tokens again whose id_token it could not check. Each refresh uses up a token. */
const uncheckedPauseMs = 10_000
const maxUnchecked = 10_000
/** The time before a refresh is needed in which a process may refresh early: part of the lifetime, and a maximum. */
const earlyRefresh = { part: 0.1, maxSeconds: 60 }

/**
 * Creates a manager that stores tokens and refreshes them, safely for several processes. The service revokes every
 * refresh token of a person and client if one is used twice. So one process refreshes at a time. It marks the stored
 * tokens before the request, and stores the new tokens before it returns them. If a crash, a pause or a lost response
 * leaves open whether a refresh token was used, the error is `refresh_outcome_unknown`, and the token is never sent
 * again.
 *
 * @throws {ConfigurationError} an option is missing or invalid
 *
 * @example
 * const manager = createTokenManager({ oidc, store, encryptionKey: tokenKey })
 * await manager.save(user.id, tokens)
 * const accessToken = await manager.getAccessToken(user.id)
 */
export function createTokenManager(options: TokenManagerOptions): TokenManager {
  checkOptions(owner, options, {
    oidc: true,
    store: true,
    encryptionKey: true,
    lockTtlMs: milliseconds({ from: 1_000, to: 3_600_000 }),
  })
  checkMethods(owner, 'oidc', options.oidc, ['refresh'], 'an OidcClient')
  const timing = timingOf(options)
  const stream = new Stream({ observation: observationOf(options.oidc), timing })
  const manager = bindMethods(new StoredTokens(options, stream, timing))
  return observeMethods(stream, manager, ['save', 'getAccessToken', 'delete'], 'tokens', 'tokenManager')
}

const owner = 'createTokenManager'

class StoredTokens implements TokenManager {
  readonly #oidc: TokenManagerOptions['oidc']
  readonly #records: TokenRecordStore
  readonly #lockTtlMs: number
  readonly #timing: Timing
  readonly #stream: Stream
  /** A random number for each process, so that processes that started together do not refresh together. */
  readonly #jitter: number
  /** The refreshes whose id_token this process could not check lately, by key. The cause usually lasts. */
  readonly #unchecked = new LruMap<string, Unchecked>(maxUnchecked)
  /** The refreshes of this process that have not ended, by key. Its callers share them. */
  readonly #refreshes = new Map<string, SharedWork<TokenSet>>()

  constructor(options: TokenManagerOptions, stream: Stream, timing: Timing) {
    const { oidc, store, encryptionKey, lockTtlMs = defaultLockTtlMs } = options
    const isEncrypted = 'encryptionKey' in options
    this.#oidc = oidc
    this.#lockTtlMs = lockTtlMs
    this.#timing = timing
    this.#stream = stream
    this.#jitter = this.#timing.random()
    this.#records = new TokenRecordStore(
      owner,
      { store, stream, application: applicationOf(oidc) },
      isEncrypted ? tokenEncryption(owner, encryptionKey) : plainText,
      this.#timing,
    )
  }

  async save(key: string, tokens: TokenSet): Promise<void> {
    const operation = 'tokenManager.save'
    checkKey(operation, key)
    if (!isTokenSet(tokens)) {
      throw invalidParam(operation, 'tokens', 'must be a token set that an OidcClient returned')
    }
    await this.#records.put(key, { state: 'held', tokens })
  }

  async getAccessToken(
    key: string,
    options: { readonly minValiditySeconds?: number | undefined } = {},
  ): Promise<string> {
    const operation = 'tokenManager.getAccessToken'
    checkKey(operation, key)
    checkCallOptions(options, operation, { minValiditySeconds: true })
    const { minValiditySeconds = defaultMinValiditySeconds } = options
    if (!(Number.isFinite(minValiditySeconds) && minValiditySeconds >= 0)) {
      throw invalidParam(operation, 'minValiditySeconds', 'must be a number of seconds, 0 or more')
    }
    for (;;) {
      const stored = await this.#records.read(key)
      const { tokens, state } = stored.value
      const spare = this.#spareSeconds(tokens, minValiditySeconds)
      const unchecked = this.#uncheckedLately(key, stored.text)
      if (spare >= 0) {
        const earlySeconds = Math.min(earlyRefresh.maxSeconds, earlyRefresh.part * tokens.expires_in)
        const isEarly = spare < this.#jitter * earlySeconds
        return (isEarly && !unchecked && state === 'held' ? await this.#refreshEarly(key, stored) : tokens).access_token
      }
      if (unchecked) throw notChecked(unchecked)
      const pending = this.#refreshes.get(key)
      if (!pending?.isPending) return (await this.#startRefresh(key, stored, minValiditySeconds)).access_token
      const refreshed = await pending.settled()
      // A refresh that another caller started may be too short for this one, or lost.
      if (refreshed && this.#spareSeconds(refreshed.value, minValiditySeconds) >= 0) return refreshed.value.access_token
    }
  }

  async delete(key: string): Promise<boolean> {
    checkKey('tokenManager.delete', key)
    return this.#records.delete(key)
  }

  /** Why this process could not check the id_token of a refresh lately, if nobody has changed the record since. */
  #uncheckedLately(key: string, text: string | null): TokenValidationError | undefined {
    const unchecked = this.#unchecked.get(key)
    return unchecked?.text === text && this.#timing.now() < unchecked.until ? unchecked.cause : undefined
  }

  /** How much longer the tokens are valid than required, in seconds. */
  #spareSeconds({ expiresAtSeconds, expires_in }: TokenSet, minValiditySeconds: number): number {
    const required = Math.min(minValiditySeconds, (1 - alwaysValidPart) * expires_in)
    return expiresAtSeconds - this.#timing.wallClock() / 1000 - required
  }

  #startRefresh(key: string, stored: Stored<LiveRecord>, minValiditySeconds: number): Promise<TokenSet> {
    // All have one limit, so the oldest is the first that may be lost.
    for (const [lostKey, { isPending }] of this.#refreshes) {
      if (isPending) break
      this.#refreshes.delete(lostKey)
    }
    const shared = new SharedWork<TokenSet>(this.#timing)
    const work = this.#refreshOrWait(key, stored, minValiditySeconds).finally(() => {
      if (this.#refreshes.get(key) === shared) this.#refreshes.delete(key)
    })
    shared.start(work, this.#lockTtlMs)
    this.#refreshes.set(key, shared)
    return work
  }

  /** Refreshes the tokens, or waits for the process that does. */
  #refreshOrWait(key: string, known: Stored<LiveRecord>, minValiditySeconds: number): Promise<TokenSet> {
    return exclusively<Stored<LiveRecord>, TokenSet>(
      {
        known,
        read: () => this.#records.read(key),
        doneIn: ({ value: { tokens } }) => (this.#spareSeconds(tokens, minValiditySeconds) >= 0 ? tokens : undefined),
        attempt: (stored) => this.#tryRefresh(key, stored, minValiditySeconds),
        // Twice, because the process that holds the lock may be followed by another one before this one gets it.
        limitMs: 2 * this.#lockTtlMs,
        tooLong: () => {
          throw new StoreError({
            message:
              'these tokens could not be refreshed within twice lockTtlMs: other processes held their lock, or this process was paused. Try again',
          })
        },
      },
      this.#timing,
    )
  }

  /** The current tokens are still valid, so the caller gets an error only if the sign-in has ended. */
  async #refreshEarly(key: string, stored: Stored<LiveRecord>): Promise<TokenSet> {
    const { tokens } = stored.value
    try {
      return (await this.#tryRefresh(key, stored, Number.POSITIVE_INFINITY)) ?? tokens
    } catch (error) {
      if (error instanceof TokenManagerError && error.reason === 'refresh_rejected') throw error
      // The client's own events or a warning have reported it. If it persists, callers get it once a refresh is needed.
      return tokens
    }
  }

  /** @returns `undefined` if another process refreshes, or has changed the record meanwhile */
  async #tryRefresh(
    key: string,
    stored: Stored<LiveRecord>,
    minValiditySeconds: number,
  ): Promise<TokenSet | undefined> {
    return leased(
      () => this.#records.lease(key, this.#lockTtlMs),
      async (begin) => {
        const lease = await begin()
        return lease && this.#refreshLeased(key, { stored, lease, minValiditySeconds })
      },
    )
  }

  /** @returns `undefined` if the lease may have ended, or another process has changed the record meanwhile */
  async #refreshLeased(key: string, { stored, lease, minValiditySeconds }: Refresh): Promise<TokenSet | undefined> {
    const run = crypto.randomUUID()
    // A refresh that had begun before the lease may have ended before it.
    const { value: record, text } = stored.value.state === 'held' ? stored : await this.#records.read(key)
    const { tokens } = record
    if (this.#spareSeconds(tokens, minValiditySeconds) >= 0) return tokens
    const isUnchecked = record.state === 'held' && record.isUnchecked === true
    // This process was paused, or the store is slow. Another process may have the lease.
    if (lease.requestMs === undefined) return undefined
    if (record.state === 'refreshing') throw noAccessToken('refresh_outcome_unknown', unfinishedRefresh)
    const unchecked = this.#uncheckedLately(key, text)
    if (unchecked) throw notChecked(unchecked)
    const { refresh_token: refreshToken, claims } = tokens
    if (!refreshToken) throw noAccessToken('refresh_rejected', 'there is no refresh token')
    const mark: TokenRecord = { state: 'refreshing', tokens, run }
    // Differs from what was read. Otherwise, a copy of the mark that arrives late would be written over it.
    const restored: HeldRecord = { state: 'held', tokens, run, ...(isUnchecked && { isUnchecked }) }
    const refreshing = await this.#records.replace(key, { value: record, text }, mark)
    if (refreshing === undefined) {
      // Another process refreshed between the reading and the lease, or the person signed in again.
      const { tokens: newer } = (await this.#records.read(key)).value
      return this.#spareSeconds(newer, minValiditySeconds) >= 0 ? newer : undefined
    }
    const deadlineMs = lease.requestMs
    if (deadlineMs === undefined) {
      // Nothing was sent. If this write fails, the state `refreshing` stays, as after a crash.
      await this.#records.replace(key, refreshing, restored).catch(() => {})
      return undefined
    }
    let refreshed: TokenSet
    try {
      const expected = { sub: claims?.sub, iss: claims?.iss }
      refreshed = await this.#oidc.refresh(refreshToken, { expected }, { deadlineMs })
    } catch (thrown) {
      const { error, next, unchecked } = failedRefresh(thrown, restored)
      if (next && unchecked) {
        const held = await this.#storeReceived(key, refreshing, next)
        // The person has signed in again, or out.
        if (held === undefined) return undefined
        this.#unchecked.set(key, { text: held.text, cause: unchecked, until: this.#timing.now() + uncheckedPauseMs })
        writeRecord(this.#stream.logger, 'warn', notChecked(unchecked).message, {})
        throw error
      }
      // If this write fails, the state `refreshing` stays, and then stands for an unknown outcome.
      if (next) await this.#records.replace(key, refreshing, next).catch(() => {})
      throw error
    }
    if (isUnchecked && refreshed.claims === undefined) {
      await this.#records.replace(key, refreshing, { state: 'rejected' }).catch(() => {})
      throw noAccessToken('refresh_rejected', 'the response has no id_token, which says whose tokens these are')
    }
    // A response may omit what has not changed (RFC 6749, section 6; OpenID Connect Core, section 12.2).
    const next: TokenSet = {
      ...tokens,
      ...refreshed,
      refresh_token: refreshed.refresh_token ?? refreshToken,
    }
    const held = await this.#storeReceived(key, refreshing, { state: 'held', tokens: next })
    return held && next
  }

  /**
   * Stores what a refresh has received, also after the lease has ended, because other processes do not change the state
   * `refreshing`. Only a sign-in or a sign-out does.
   *
   * @returns `undefined` if the record was changed meanwhile
   */
  async #storeReceived(
    key: string,
    refreshing: Stored<TokenRecord | undefined>,
    record: TokenRecord,
  ): Promise<Stored<TokenRecord | undefined> | undefined> {
    try {
      return await this.#records.replace(key, refreshing, record)
    } catch (thrown) {
      throw noAccessToken('refresh_outcome_unknown', 'the new tokens could not be stored', thrown)
    }
  }
}

/** A refresh whose id_token this process could not check. */
interface Unchecked {
  /** The record that has the new refresh token. */
  readonly text: string | null
  readonly cause: TokenValidationError
  readonly until: number
}

/** What a refresh works with. */
interface Refresh {
  /** The record, as it was read before the lease. */
  readonly stored: Stored<LiveRecord>
  readonly lease: Lease
  readonly minValiditySeconds: number
}

/** This process holds the lease, so the one that wrote the state has lost it. */
const unfinishedRefresh =
  'a refresh was started, and its outcome was not stored within lockTtlMs: its process crashed, or is paused and may still store new tokens'

function checkKey(operation: string, key: unknown): void {
  if (typeof key !== 'string' || key === '' || !key.isWellFormed()) {
    throw invalidParam(operation, 'key', 'must be a non-empty string without lone surrogates')
  }
}

import { randomUUID } from '#platform'
import { InvalidParamsError } from '../../errors/call-errors.ts'
import { ConfigurationError, StoreError } from '../../errors/sdk-error.ts'
import { TokenManagerError } from '../../errors/sign-in-errors.ts'
import { backoffMs } from '../../http/retry.ts'
import { realTiming, type Timing, timing } from '../../runtime/timing.ts'
import type { Store } from '../../stores/store.ts'
import type { OidcClient } from '../client.ts'
import { failedRefresh } from './failed-refresh.ts'
import { type EncryptionKeys, isTokenSet, tokenEncryption } from './token-encryption.ts'
import { TokenRecordStore } from './token-record-store.ts'
import type { TokenSet } from './token-set.ts'

/** Read once, when the manager is made. */
export interface TokenManagerOptions {
  /** Refreshes the tokens. */
  readonly oidc: Pick<OidcClient, 'refresh'>
  /** Keeps them: one that all processes share, where there are several. */
  readonly store: Store
  /**
   * Encrypts what the store holds (A256GCM): 32 bytes, as they are or in base64url. Of several, the first
   * encrypts and all decrypt: put a new key in front, and drop the old one when every set was refreshed.
   *
   * @default none: the store holds plain text
   * @throws {ConfigurationError} where it is given and `undefined`: a variable that is not set must not turn it off
   */
  readonly encryptionKey?: EncryptionKeys
  /**
   * How long one process may be at a refresh, in milliseconds, 1,000 to 3,600,000; the call itself gets four
   * fifths of it. When a process dies at it, the others learn of that after this time.
   *
   * @default 60_000
   */
  readonly lockTtlMs?: number | undefined
}

/** Keeps the tokens of many people, and refreshes each once, however many processes ask. */
export interface TokenManager {
  /**
   * Keeps the tokens of a sign-in, in place of what was there.
   *
   * @param key names whose they are: your user's or session's id
   * @throws {InvalidParamsError} an empty key, or tokens that are no token set
   * @throws {StoreError}
   * @see service contract, section 4.7
   *
   * @example
   * await manager.save(user.id, tokens)
   */
  save(key: string, tokens: TokenSet): Promise<void>
  /**
   * Gives an access token that is good for a while, refreshing first where it must. A process may refresh a
   * little before that, so that not all of them find the same token wanting at the same moment; while it does,
   * the others go on with the token they have.
   *
   * @param options `minValiditySeconds`: how long the token must last, in seconds, 0 or more, default 60; four
   *   fifths of a token's lifetime at most count
   * @throws {TokenManagerError} by its `reason`, nothing is kept, or the person has to sign in again
   * @throws {ApiError | ConnectionError | TimeoutError} the refresh failed, and the refresh token is still good:
   *   ask again
   * @throws {StoreError} the store failed: ask again
   * @see service contract, sections 4.7 and 5
   *
   * @example
   * const accessToken = await manager.getAccessToken(user.id, { minValiditySeconds: 120 })
   */
  getAccessToken(key: string, options?: { readonly minValiditySeconds?: number | undefined }): Promise<string>
  /**
   * Forgets the tokens: a sign-out.
   *
   * @returns whether there were any
   * @see service contract, section 4.7
   *
   * @example
   * const wasSignedIn = await manager.delete(user.id)
   */
  delete(key: string): Promise<boolean>
}

const defaultLockTtlMs = 60_000
const defaultMinValiditySeconds = 60
/** Of a token's lifetime, the part in which it is always good enough: else no token ever might be. */
const fresh = 0.2
/** Of a token's lifetime, and at most how long: the span before it is due in which somebody refreshes early. */
const early = { part: 0.1, seconds: 60 }

/**
 * Keeps tokens and refreshes them, safely over many processes: the service revokes every refresh token of a
 * person when one is presented twice, so one process refreshes at a time, marks that it does, and stores the
 * new tokens before anybody gets them. Where a crash or a lost answer leaves open whether the token was spent,
 * that is told (`refresh_outcome_unknown`), and the token is never presented again.
 *
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, section 4.7
 *
 * @example
 * const manager = createTokenManager({ oidc, store, encryptionKey: tokenKey })
 * await manager.save(user.id, tokens)
 * const accessToken = await manager.getAccessToken(user.id)
 */
export function createTokenManager(options: TokenManagerOptions): TokenManager {
  return new Manager(options)
}

class Manager implements TokenManager {
  readonly #oidc: TokenManagerOptions['oidc']
  readonly #records: TokenRecordStore
  readonly #lockTtlMs: number
  readonly #timing: Timing
  /** Processes that were started together do not refresh together. */
  readonly #jitter: number
  readonly #runs = new Map<string, Promise<TokenSet>>()

  constructor(options: TokenManagerOptions & { readonly [timing]?: Partial<Timing> }) {
    const { oidc, store, encryptionKey, lockTtlMs = defaultLockTtlMs } = options
    if (typeof oidc?.refresh !== 'function') throw new ConfigurationError('oidc must be an OidcClient')
    if (typeof store?.compareAndSet !== 'function') throw new ConfigurationError('store must be a Store')
    if (!(Number.isInteger(lockTtlMs) && lockTtlMs >= 1_000 && lockTtlMs <= 3_600_000)) {
      throw new ConfigurationError('lockTtlMs must be a whole number of milliseconds, 1,000 to 3,600,000')
    }
    if ('encryptionKey' in options && encryptionKey === undefined) {
      throw new ConfigurationError('encryptionKey is undefined: leave it out for plain text in the store')
    }
    this.#oidc = oidc
    this.#lockTtlMs = lockTtlMs
    this.#timing = { ...realTiming, ...options[timing] }
    this.#jitter = this.#timing.random()
    this.#records = new TokenRecordStore(store, tokenEncryption(encryptionKey), this.#timing)
  }

  async save(key: string, tokens: TokenSet): Promise<void> {
    const operation = 'tokenManager.save'
    checkKey(key, operation)
    if (!isTokenSet(tokens)) throw badParam('tokens', 'must be a token set of an OidcClient', operation)
    await this.#records.put(key, { state: 'held', tokens })
  }

  async getAccessToken(
    key: string,
    {
      minValiditySeconds = defaultMinValiditySeconds,
    }: { readonly minValiditySeconds?: number | undefined } = {},
  ): Promise<string> {
    const operation = 'tokenManager.getAccessToken'
    checkKey(key, operation)
    if (!(Number.isFinite(minValiditySeconds) && minValiditySeconds >= 0)) {
      throw badParam('minValiditySeconds', 'must be a number of seconds, 0 or more', operation)
    }
    for (;;) {
      const { tokens, state } = (await this.#records.read(key)).record
      const spare = this.#spareSeconds(tokens, minValiditySeconds)
      if (spare >= 0) {
        const isEarly = spare < this.#jitter * Math.min(early.seconds, early.part * tokens.expires_in)
        return (isEarly && state === 'held' ? await this.#refreshEarly(key, tokens) : tokens).access_token
      }
      const underWay = this.#runs.get(key)
      const renewed = await (underWay ?? this.#start(key, minValiditySeconds))
      // What another caller waited for may be too little for this one.
      if (!underWay || this.#spareSeconds(renewed, minValiditySeconds) >= 0) return renewed.access_token
    }
  }

  async delete(key: string): Promise<boolean> {
    checkKey(key, 'tokenManager.delete')
    return this.#records.delete(key)
  }

  /** How much longer the tokens last than they must, in seconds. */
  #spareSeconds({ expires_at, expires_in }: TokenSet, minValiditySeconds: number): number {
    const must = Math.min(minValiditySeconds, (1 - fresh) * expires_in)
    return expires_at - this.#timing.wallClock() / 1000 - must
  }

  #start(key: string, minValiditySeconds: number): Promise<TokenSet> {
    const run = this.#untilRefreshed(key, minValiditySeconds).finally(() => this.#runs.delete(key))
    this.#runs.set(key, run)
    return run
  }

  /** Refreshes, or waits for the process that does. */
  async #untilRefreshed(key: string, minValiditySeconds: number): Promise<TokenSet> {
    const startedAt = this.#timing.now()
    for (let look = 1; ; look++) {
      const renewed = await this.#refreshOnce(key, minValiditySeconds)
      if (renewed) return renewed
      // Each holder of the lock has its time; one that comes after it may have the same.
      const isLast = this.#timing.now() - startedAt > 2 * this.#lockTtlMs
      if (isLast) throw new StoreError('other processes hold the lock of these tokens for too long')
      await this.#timing.sleep(backoffMs(Math.min(look, 2), 0.1 + 0.4 * this.#timing.random()), undefined)
      const { tokens } = (await this.#records.read(key)).record
      if (this.#spareSeconds(tokens, minValiditySeconds) >= 0) return tokens
    }
  }

  /** The tokens at hand are good: only a refusal, which ends the sign-in, is worth failing the caller for. */
  async #refreshEarly(key: string, tokens: TokenSet): Promise<TokenSet> {
    try {
      return (await this.#refreshOnce(key, Number.POSITIVE_INFINITY)) ?? tokens
    } catch (error) {
      if (error instanceof TokenManagerError && error.reason === 'refresh_rejected') throw error
      // The client's own events have told the failure; whoever finds the token due meets it again.
      return tokens
    }
  }

  /** @returns nothing where somebody else is at it, or has changed the record meanwhile */
  async #refreshOnce(key: string, minValiditySeconds: number): Promise<TokenSet | undefined> {
    const run = randomUUID()
    if (!(await this.#records.lock(key, run, this.#lockTtlMs))) return undefined
    try {
      return await this.#refresh(key, run, minValiditySeconds)
    } finally {
      await this.#records.unlock(key, run)
    }
  }

  async #refresh(key: string, run: string, minValiditySeconds: number): Promise<TokenSet | undefined> {
    const { record, text } = await this.#records.read(key)
    const { tokens } = record
    if (this.#spareSeconds(tokens, minValiditySeconds) >= 0) return tokens
    // The lock is ours, so whoever left this mark is not at work any more.
    if (record.state === 'refreshing') {
      throw unknownOutcome('a process that was at a refresh ended without telling how it went')
    }
    const { refresh_token: refreshToken, claims } = tokens
    if (!refreshToken)
      throw new TokenManagerError('refresh_rejected', 'there is no refresh token: sign in again')
    const marked = await this.#records.replace(key, text, { state: 'refreshing', tokens, run })
    if (marked === undefined) return undefined
    let renewed: TokenSet
    try {
      const deadlineMs = Math.floor(this.#lockTtlMs * 0.8)
      renewed = await this.#oidc.refresh(refreshToken, {
        expected: { sub: claims?.sub, iss: claims?.iss },
        deadlineMs,
      })
    } catch (thrown) {
      const { error, next } = failedRefresh(thrown, tokens)
      // Where even this fails, the mark stays, and stands for what is then the truth: nobody knows.
      if (next) await this.#records.replace(key, marked, next).catch(() => {})
      throw error
    }
    // An answer may leave out what did not change (RFC 6749, section 6; OpenID Connect Core, section 12.2).
    const next: TokenSet = { ...tokens, ...renewed, refresh_token: renewed.refresh_token ?? refreshToken }
    try {
      const kept = await this.#records.replace(key, marked, { state: 'held', tokens: next })
      return kept === undefined ? undefined : next
    } catch (thrown) {
      throw unknownOutcome('the new tokens could not be stored', thrown)
    }
  }
}

const unknownOutcome = (why: string, cause?: unknown) =>
  new TokenManagerError('refresh_outcome_unknown', `${why}: sign in again`, cause)

function checkKey(key: unknown, operation: string): void {
  if (typeof key !== 'string' || key === '' || !key.isWellFormed()) {
    throw badParam('key', 'must be a text that is not empty, without lone surrogates', operation)
  }
}

const badParam = (path: string, message: string, operation: string) =>
  new InvalidParamsError([{ path, message }], { operation, attempts: 0 })

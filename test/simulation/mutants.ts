/** A change of the source that breaks a protocol, and that the simulation of the protocol must find. */
export interface Mutant {
  readonly name: string
  readonly protocol: string
  /** The file in `src`. */
  readonly file: string
  /** Text that occurs once in the file, and what replaces it. */
  readonly from: string
  readonly to: string
}

const claim = 'webhooks/processing/claim.ts'
const lease = 'stores/lease.ts'
const cell = 'stores/cell.ts'
const manager = 'oidc/tokens/token-manager.ts'
const slots = 'http/spend/slot-counter.ts'
const guard = 'http/spend/spend-guard.ts'
const walletFile = 'http/spend/wallet.ts'
const start = 'verification/manager/start.ts'
const records = 'verification/manager/record-store.ts'
const changes = 'verification/manager/changes.ts'
const transitions = 'verification/manager/transitions.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'the claim is not renewed',
    protocol: 'webhooks',
    file: claim,
    from: 'claim.keep().signal',
    to: 'claim.signal',
  },
  {
    name: 'the event is not marked as done',
    protocol: 'webhooks',
    file: claim,
    from: 'await finish(claim, options.retainMs).catch(onError)',
    to: 'await claim.release().catch(onError)',
  },
  {
    name: 'the event is marked before its callback runs',
    protocol: 'webhooks',
    file: claim,
    from: 'await work({ signal: claim.keep().signal })',
    to: 'await finish(claim, options.retainMs).catch(onError)\n        await work({ signal: claim.signal })',
  },
  {
    name: 'a claim of another process counts as done',
    protocol: 'webhooks',
    file: claim,
    from: "if (claim.found !== null) return 'in_progress'",
    to: "if (claim.found !== null) return 'duplicate'",
  },
  {
    name: 'a claim overwrites that of another process',
    protocol: 'webhooks',
    file: lease,
    from: 'if (await store.set(key, value, { ttlMs, ifAbsent: true })) return value',
    to: 'if (await store.set(key, value, { ttlMs })) return value',
  },
  {
    name: 'the mark is not tried again',
    protocol: 'webhooks',
    file: lease,
    from: 'return persist(\n      async () =>',
    to: 'return ((write: () => Promise<boolean>, _: unknown) => write())(\n      async () =>',
  },
  {
    name: 'a renewal does not compare the holder',
    protocol: 'webhooks',
    file: lease,
    from: 'const renewed = await store.compareAndSet(key, holder, holder, { ttlMs })',
    to: 'const renewed = await store.set(key, holder, { ttlMs })',
  },
  {
    name: 'the mark does not compare the holder',
    protocol: 'webhooks',
    file: lease,
    from: '(await store.compareAndSet(key, holder, value, { ttlMs })) ||',
    to: '(await store.set(key, value, { ttlMs })) ||',
  },
  {
    name: 'a lost lease is not noticed until the store responds',
    protocol: 'webhooks',
    file: lease,
    from: 'this.#cancelExpiry = timing.timer(expire,',
    to: 'this.#cancelExpiry = timing.timer(() => void expire,',
  },
  {
    name: 'a failed renewal ends the renewals',
    protocol: 'webhooks',
    file: lease,
    from: 'this.#renewIn(backoffMs(this.#failures, timing.random()))',
    to: '',
  },
  {
    name: 'a callback that failed keeps its claim as done',
    protocol: 'webhooks',
    file: claim,
    from: 'await claim.release().then(throwIfLost(claim)).catch(onError)',
    to: 'await finish(claim, options.retainMs).catch(onError)',
  },
  {
    name: 'tokens are refreshed without the lease',
    protocol: 'tokens',
    file: manager,
    from: 'if (lease === undefined) return undefined\n    try {',
    to: 'if (lease === undefined) return this.#refreshLeased(key, { stored, lease: { endsAt: this.#timing.now() + this.#lockTtlMs } as Lease, minValiditySeconds })\n    try {',
  },
  {
    name: 'the mark is not written',
    protocol: 'tokens',
    file: manager,
    from: 'const refreshing = await this.#records.replace(key, { value: record, text }, mark)',
    to: 'const refreshing: Stored<TokenRecord | undefined> | undefined = mark && { value: record, text }',
  },
  {
    name: 'the mark of another process is ignored',
    protocol: 'tokens',
    file: manager,
    from: "if (record.state === 'refreshing') throw outcomeUnknown(unfinishedRefresh)",
    to: '',
  },
  {
    name: 'new tokens are returned before they are stored',
    protocol: 'tokens',
    file: manager,
    from: "const stored = await this.#records.replace(key, refreshing, { state: 'held', tokens: next })",
    to: "const stored = refreshing\n      void this.#records.replace(key, refreshing, { state: 'held', tokens: next }).catch(() => {})",
  },
  {
    name: 'the state is restored after an unknown outcome',
    protocol: 'tokens',
    file: manager,
    from: 'if (next) await this.#records.replace(key, refreshing, next).catch(() => {})',
    to: "await this.#records.replace(key, refreshing, next ?? { state: 'held', tokens }).catch(() => {})",
  },
  {
    name: 'the state is not restored after a request that was not sent',
    protocol: 'tokens',
    file: manager,
    from: 'if (next) await this.#records.replace(key, refreshing, next).catch(() => {})',
    to: '',
  },
  {
    name: 'the record is not read again after a lost race',
    protocol: 'tokens',
    file: manager,
    from: "const { value: record, text } = stored.value.state === 'held' ? stored : await this.#records.read(key)",
    to: 'const { value: record, text } = stored',
  },
  {
    name: 'the old refresh token is kept',
    protocol: 'tokens',
    file: manager,
    from: 'refresh_token: refreshed.refresh_token ?? refreshToken,',
    to: 'refresh_token: refreshToken,',
  },
  {
    name: 'the mark is written without comparing',
    protocol: 'tokens',
    file: cell,
    from: ': this.#store.compareAndSet(key, from.text, to.text, { ttlMs })',
    to: ': this.#store.set(key, to.text, { ttlMs })',
  },
  {
    name: 'a write whose response was lost is not recognized',
    protocol: 'tokens',
    file: cell,
    from: '(await this.#write(key, from, next)) || (await this.#store.get(key)) === next.text',
    to: 'await this.#write(key, from, next)',
  },
  {
    name: 'a bucket lives for less than the span',
    protocol: 'spend limit',
    file: slots,
    from: 'this.#ttlMs = setup.perMs + this.graceMs',
    to: 'this.#ttlMs = setup.perMs - 1_000',
  },
  {
    name: 'a call is counted without comparing',
    protocol: 'spend limit',
    file: cell,
    from: '? this.#store.set(key, to.text, { ttlMs, ifAbsent: true })',
    to: '? this.#store.set(key, to.text, { ttlMs })',
  },
  {
    name: 'a call that was counted too long ago is not counted again',
    protocol: 'spend limit',
    file: guard,
    from: 'if (!this.#isFresh()) return this.#recount()',
    to: '',
  },
  {
    name: 'a call is counted from when the store responded',
    protocol: 'spend limit',
    file: slots,
    from: 'return { bucket: index, bucketId: next.id, countedAt }',
    to: 'return { bucket: index, bucketId: next.id, countedAt: countedAt - countedAt + timing.now() }',
  },
  {
    name: 'a slot is given back although the call was sent',
    protocol: 'spend limit',
    file: guard,
    from: 'const isFree = !this.#isUsed || isUnsent(failure)',
    to: 'const isFree = failure !== undefined',
  },
  {
    name: 'a slot is free when its bucket has room for one more than it has',
    protocol: 'spend limit',
    file: slots,
    from: 'Math.max(0, this.#capacity(bucket.index) - bucket.value.calls)',
    to: 'Math.max(0, this.#capacity(bucket.index) - bucket.value.calls + 1)',
  },
  {
    name: 'calls of a key are not counted',
    protocol: 'spend limit of a key',
    file: guard,
    from: 'for (const counter of keyCounter ? [keyCounter, ofAll] : [ofAll]) {',
    to: 'for (const counter of [ofAll, ...(keyCounter && slots.length > 9 ? [keyCounter] : [])]) {',
  },
  {
    name: 'a probe is sent without a lease',
    protocol: 'wallet',
    file: walletFile,
    from: 'if (lease.found !== null || tries === maxTries) return this.#remainingMs(lease.found, waitMs)',
    to: "if (lease.found !== null || tries === maxTries) return lease.found?.startsWith('probe') ? 'open' : this.#remainingMs(lease.found, waitMs)",
  },
  {
    name: 'the lease of a probe is not renewed',
    protocol: 'wallet',
    file: walletFile,
    from: 'return this.#probe(lease.keep(), empty, waitMs)',
    to: 'return this.#probe(lease, empty, waitMs)',
  },
  {
    name: 'the lease of a probe is given up when the probe begins',
    protocol: 'wallet',
    file: walletFile,
    from: 'return this.#probe(lease.keep(), empty, waitMs)',
    to: 'return lease.release().then(() => this.#probe(lease, empty, waitMs))',
  },
  {
    name: 'each attempt has its own idempotency key',
    protocol: 'retries',
    file: 'http/request-headers.ts',
    from: ': [idempotencyHeader, idempotencyKey]',
    to: ': [idempotencyHeader, crypto.randomUUID()]',
  },
  {
    name: 'an unknown outcome is not reported',
    protocol: 'retries',
    file: 'http/sender/final-error.ts',
    from: 'if (state.mayHaveExecuted && !isReported &&',
    to: 'if (state.mayHaveExecuted && isReported &&',
  },
  {
    name: 'two starts create a session each',
    protocol: 'starts',
    file: start,
    from: 'if (intent === undefined) return undefined',
    to: 'if (intent === undefined && stored.text !== null) return undefined',
  },
  {
    name: 'the intent is not written before the session is created',
    protocol: 'starts',
    file: start,
    from: 'const intent = await records.replace(subject, stored, beginStart(run.holder, createdAt, sent))',
    to: 'const intent = beginStart(run.holder, createdAt, sent) && stored',
  },
  {
    name: 'a start does not look for the session of a lost start',
    protocol: 'starts',
    file: start,
    from: 'const found = await findLostSession(service, lost, options)',
    to: 'const found = undefined as CreatedSession | undefined\n    void [findLostSession, lost]',
  },
  {
    name: 'a start takes over one that still runs',
    protocol: 'starts',
    file: start,
    from: 'if (start === null || !(await records.runs.isAlive(start.run))) {',
    to: 'if (start === null || (await records.runs.isAlive(start.run)) !== undefined) {',
  },
  {
    name: 'the intent is removed after an unknown outcome',
    protocol: 'starts',
    file: start,
    from: 'if (isNotCreated(error)) await cancel()\n      else',
    to: 'await cancel()\n      if (!isNotCreated(error))',
  },
  {
    name: 'a record is replaced without comparing',
    protocol: 'starts',
    file: cell,
    from: 'return lists.replace(key, listed(from), listed(to))',
    to: 'return this.#store.get(key).then((text) => lists.replace(key, { ...listed(from), value: text }, listed(to)))',
  },
  {
    name: 'a change is removed before onChange runs',
    protocol: 'outcomes',
    file: changes,
    from: 'await onChange?.(change, { signal })\n        const updated = await records.update(subject, removeChange(id, run.holder), { stored })',
    to: 'const updated = await records.update(subject, removeChange(id, run.holder), { stored })\n        await onChange?.(change, { signal })',
  },
  {
    name: 'the lease of onChange is not renewed',
    protocol: 'outcomes',
    file: changes,
    from: 'const { signal } = run.keep()',
    to: 'const { signal } = run',
  },
  {
    name: 'changes are delivered while another process delivers them',
    protocol: 'outcomes',
    file: changes,
    from: 'own || delivery === null || onChange === undefined || !(await records.runs.isAlive(delivery))',
    to: 'own || delivery === null || onChange === undefined || (await records.runs.isAlive(delivery)) !== undefined',
  },
  {
    name: 'a change is not recorded',
    protocol: 'outcomes',
    file: records,
    from: 'return { ...next, changes: [...next.changes, pendingChange(change)], delivery }',
    to: 'return { ...next, changes: [...next.changes, pendingChange(change)].slice(1), delivery }',
  },
  {
    name: 'facts that were read earlier undo an approval',
    protocol: 'outcomes',
    file: transitions,
    from: 'if (session === undefined || rank(facts) < rank(session)) return record',
    to: 'if (session === undefined) return record',
  },
  {
    name: 'a person with a change to deliver is not in a list of their own',
    protocol: 'outcomes',
    file: 'verification/manager/record.ts',
    from: '...(record.changes.length > 0 ? [undelivered] : [])]',
    to: '...(record.changes.length > 1 ? [undelivered] : [])]',
  },
  {
    name: 'forget does not wait for a call of onChange',
    protocol: 'forgets',
    file: changes,
    from: 'own || delivery === null || onChange === undefined || !(await records.runs.isAlive(delivery))',
    to: 'own || delivery !== undefined',
  },
  {
    name: 'forget does not compare the record',
    protocol: 'forgets',
    file: records,
    from: 'return (await this.#cells.replace(this.#prefix + subject, stored, noRecord)) !== undefined',
    to: 'return (await this.#cells.replace(this.#prefix + subject, stored, noRecord)) !== undefined || true',
  },
]

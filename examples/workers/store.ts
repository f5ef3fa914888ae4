import { DurableObject } from 'cloudflare:workers'
import type { Store } from 'identity-service-sdk'

type SetOptions = Parameters<Store['set']>[2]

interface Entry {
  value: string
  /** Milliseconds since 1970. A value without it does not expire. */
  until?: number | undefined
}

// A longer time is not a valid date for an alarm.
const longestMs = 10 * 365 * 86_400_000

/** One value of the store. A Durable Object runs one operation at a time, so each one is atomic across instances. */
export class StoredValue extends DurableObject {
  async get(): Promise<string | null> {
    const entry = await this.ctx.storage.get<Entry>('entry')
    return entry && (entry.until ?? Infinity) > Date.now() ? entry.value : null
  }

  async set(value: string, { ttlMs, ifAbsent }: SetOptions = {}) {
    if (ifAbsent && (await this.get()) !== null) return false
    const until = ttlMs === undefined ? undefined : Date.now() + Math.min(ttlMs, longestMs)
    await this.ctx.storage.put<Entry>('entry', { value, until })
    if (until === undefined) await this.ctx.storage.deleteAlarm()
    else await this.ctx.storage.setAlarm(until)
    return true
  }

  async compareAndSet(expected: string, value: string, options: SetOptions) {
    return (await this.get()) === expected && this.set(value, options)
  }

  async take() {
    const value = await this.get()
    await this.ctx.storage.deleteAll()
    return value
  }

  async delete() {
    return (await this.take()) !== null
  }

  async compareAndDelete(expected: string) {
    return (await this.get()) === expected && this.delete()
  }

  /** Deletes the value when it has expired. */
  async alarm() {
    if ((await this.get()) === null) await this.ctx.storage.deleteAll()
  }
}

/** A `Store` for the package, shared by all instances of the Worker. */
export function durableStore(namespace: DurableObjectNamespace<StoredValue>): Store {
  const at = (key: string) => namespace.get(namespace.idFromName(key))
  return {
    get: (key) => at(key).get(),
    set: (key, value, options) => at(key).set(value, options),
    compareAndSet: (key, expected, value, options) => at(key).compareAndSet(expected, value, options),
    take: (key) => at(key).take(),
    delete: (key) => at(key).delete(),
    compareAndDelete: (key, expected) => at(key).compareAndDelete(expected),
  }
}

import { DurableObject } from 'cloudflare:workers'

// A longer time is not a valid date for an alarm.
const longestMs = 10 * 365 * 86_400_000

/** One value of the store. A Durable Object runs one operation at a time, so each one is atomic across instances. */
export class StoredValue extends DurableObject {
  async get() {
    const { value = null, until = Infinity } = (await this.ctx.storage.get('entry')) ?? {}
    return until > Date.now() ? value : null
  }

  async set(value, { ttlMs, ifAbsent } = {}) {
    if (ifAbsent && (await this.get()) !== null) return false
    const until = ttlMs === undefined ? undefined : Date.now() + Math.min(ttlMs, longestMs)
    await this.ctx.storage.put('entry', { value, until })
    if (until === undefined) await this.ctx.storage.deleteAlarm()
    else await this.ctx.storage.setAlarm(until)
    return true
  }

  async compareAndSet(expected, value, options) {
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

  async compareAndDelete(expected) {
    return (await this.get()) === expected && this.delete()
  }

  /** Deletes the value when it has expired. */
  async alarm() {
    if ((await this.get()) === null) await this.ctx.storage.deleteAll()
  }
}

/** A `Store` for the package, shared by all instances of the Worker. */
export function durableStore(namespace) {
  const at = (key) => namespace.get(namespace.idFromName(key))
  return {
    get: (key) => at(key).get(),
    set: (key, value, options) => at(key).set(value, options),
    compareAndSet: (key, expected, value, options) => at(key).compareAndSet(expected, value, options),
    take: (key) => at(key).take(),
    delete: (key) => at(key).delete(),
    compareAndDelete: (key, expected) => at(key).compareAndDelete(expected),
  }
}

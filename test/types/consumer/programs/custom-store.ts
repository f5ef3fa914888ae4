// A custom store as an object literal, checked with the conformance suite.

import { testStore } from 'identity-service-sdk/stores/testing'
import { createWebhookHandler, type Store } from 'identity-service-sdk/webhooks'

interface Entry {
  value: string
  expiresAt: number
}

/** The part of a database client that the store needs. */
interface Database {
  transaction<T>(work: (entries: Map<string, Entry>) => T): Promise<T>
}

export function databaseStore(database: Database, now: () => number = Date.now): Store {
  function inTransaction<T>(key: string, work: (current: string | null, all: Map<string, Entry>) => T): Promise<T> {
    return database.transaction((entries) => {
      const entry = entries.get(key)
      return work(entry && entry.expiresAt > now() ? entry.value : null, entries)
    })
  }
  const entryOf = (value: string, ttlMs = Number.POSITIVE_INFINITY) => ({ value, expiresAt: now() + ttlMs })
  return {
    get: (key) => inTransaction(key, (current) => current),
    set: (key, value, { ttlMs, ifAbsent = false } = {}) =>
      inTransaction(key, (current, entries) => {
        if (ifAbsent && current !== null) return false
        entries.set(key, entryOf(value, ttlMs))
        return true
      }),
    compareAndSet: (key, expected, value, { ttlMs } = {}) =>
      inTransaction(key, (current, entries) => {
        if (current !== expected) return false
        entries.set(key, entryOf(value, ttlMs))
        return true
      }),
    take: (key) =>
      inTransaction(key, (current, entries) => {
        entries.delete(key)
        return current
      }),
    delete: (key) => inTransaction(key, (current, entries) => entries.delete(key) && current !== null),
    compareAndDelete: (key, expected) =>
      inTransaction(key, (current, entries) => current === expected && entries.delete(key)),
  }
}

export const checkStore = async (database: Database): Promise<void> => testStore(() => databaseStore(database))

export const handler = (database: Database, secret: string | undefined) =>
  createWebhookHandler({
    secret,
    store: databaseStore(database),
    onTestEvent: () => {},
    onUnhandled: console.log,
  })

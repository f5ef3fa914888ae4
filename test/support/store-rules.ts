import { it } from 'vitest'
import { type StoreTestOptions, testStore } from '../../src/stores-testing.ts'
import type { Store } from '../../src/webhooks.ts'

/** Makes each rule of `Store` a test. */
export function testRules(name: string, makeStore: () => Store, options?: StoreTestOptions): void {
  for (const rule of testStore(makeStore, options)) it(`${name} ${rule.name}`, rule.run)
}

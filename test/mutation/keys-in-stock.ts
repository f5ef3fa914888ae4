import { generateKeyPairSync } from 'node:crypto'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    keysInStock: readonly string[]
  }
}

/** More than any run of tests makes, or nearly: what is wanted beyond them is made. */
const stock = 16

/** Making RSA keys is most of what a short run costs: they are made once, and each run has the same. */
export function setup(project: TestProject): void {
  const keys = Array.from({ length: stock }, () =>
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  project.provide('keysInStock', keys.map(String))
}

import { generateKeyPairSync } from 'node:crypto'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    rsaKeys: readonly string[]
  }
}

/** Enough for most runs. Further keys are generated when they are needed. */
const count = 16

/** Generates RSA keys once for all runs, because generating them takes most of the time of a short run. */
export function setup(project: TestProject): void {
  const keys = Array.from({ length: count }, () =>
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  project.provide('rsaKeys', keys.map(String))
}

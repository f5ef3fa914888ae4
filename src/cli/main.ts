import { nodeVersionFault } from '../runtime/environment.ts'

// The rest is loaded afterwards, because an older Node fails on what it imports.
if (nodeVersionFault === undefined) {
  await import('./start.js')
} else {
  process.stderr.write(`identity-service-sdk: ${nodeVersionFault}\n`)
  process.exitCode = 2
}

import { nodeVersionFault } from '../runtime/node-version.ts'

// The rest is loaded afterwards, because an older Node fails on what it imports.
const fault = nodeVersionFault()
if (fault === undefined) {
  await import('./start.ts')
} else {
  process.stderr.write(`identity-service-sdk: ${fault}\n`)
  process.exitCode = 2
}

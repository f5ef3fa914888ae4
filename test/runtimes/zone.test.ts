import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { installPackage } from '../support/installed-package.ts'

const program = `
import 'zone.js/node'
const { VerificationClient } = await import('identity-service-sdk')
const { createEmulator } = await import('identity-service-sdk/emulator')
const client = new VerificationClient(createEmulator().options.verification)
const done = []
const list = () => client.sessions.list()
await list().then(() => done.push('then'))
await list().finally(() => done.push('finally'))
await client.sessions.retrieve('sess_1').catch(() => done.push('catch'))
for await (const _ of list());
console.log(done.join(' '))
`

it('a call settles in each way under the promises of zone.js, which Angular loads on servers', async () => {
  const installed = await installPackage({
    'zone.js': fileURLToPath(new URL('../node_modules/zone.js', import.meta.url)),
  })
  onTestFinished(() => installed.remove())

  expect(await installed.run('zone.mjs', program)).toBe('then finally catch\n')
})

import { expect, it } from 'vitest'
import { documentedCode } from './support/documented-code.ts'

const readme = documentedCode('README.md')
const { emulator } = readme

it('the first call creates a session', async () => {
  expect(await readme.run('First call')).toMatch(`send the person to ${readme.service.url}/s/`)
})

it('the webhook handler accepts a signed event and reads the decision', async () => {
  const output = await readme.whileServing('Receive webhooks', async (port) => {
    const id = await readme.aSession(`http://127.0.0.1:${port}/webhooks`)
    await emulator.sessions.complete(id, 'APPROVED')
  })
  expect(output).toBe('user-42 APPROVED 3\n')
})

it('the emulator works in the process of a test', async () => {
  expect(await readme.run('Test your app')).toBe('APPROVED\ncharged 1 time\n')
})

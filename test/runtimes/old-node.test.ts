import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { describeWith, requireBinary } from '../support/programs.ts'

describeWith(['node-20', 'node-22.13'], 'that the oldest Node of each line prints no warning', () => {
  it.each(['node-20', 'node-22.13'] as const)(
    '%s prints nothing of its own, for import and for require',
    async (node) => {
      const installed = await installPackage()
      const programs = {
        'loaded.cjs': `console.log(typeof require('identity-service-sdk').VerificationClient)`,
        'loaded.mjs': `import { VerificationClient } from 'identity-service-sdk'; console.log(typeof VerificationClient)`,
      }
      for (const [file, source] of Object.entries(programs)) {
        await writeFile(join(installed.project, file), source)
        const { stdout, stderr } = await promisify(execFile)(requireBinary(node), [join(installed.project, file)])
        expect([file, stdout, stderr]).toEqual([file, 'function\n', ''])
      }
      await installed.remove()
    },
  )
})

describeWith('node-18', 'that a Node that is too old is named as the cause', () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installPackage()
  }, 60_000)

  afterAll(() => installed.remove())

  const fault = () => {
    const oldest = installed.manifest.engines.node.match(/\d+\.\d+/g) ?? []
    return `Node ${oldest.join(', or ')} or newer, is required, this is 18.20.8`
  }

  it.each([
    ['VerificationClient', `new VerificationClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key' })`],
    ['createWebhookHandler', `createWebhookHandler({ secret: 'whsec_1', onUnhandled() {} })`],
    ['memoryStore', 'memoryStore()'],
    ['signWebhook', `await signWebhook({ body: '{}', secret: 'whsec_1' })`],
    ['verifyWebhook', `await verifyWebhook({ body: '{}', headers: {}, secret: 'whsec_1' })`],
    ['verifyWebhookSignature', `await verifyWebhookSignature({ body: '{}', headers: {}, secret: 'whsec_1' })`],
  ])('%s says which Node is required', async (name, source) => {
    const program = `
      import {
        createWebhookHandler, memoryStore, signWebhook, VerificationClient, verifyWebhook, verifyWebhookSignature,
      } from 'identity-service-sdk'
      try { ${source} } catch (error) { console.log(String(error)) }`

    const output = await installed.run('old.mjs', program, {}, requireBinary('node-18'))

    expect(output.trim()).toBe(`ConfigurationError: ${name}: ${fault()}`)
  })

  it('the command line says which Node is required, and ends with status 2', async () => {
    const cli = join(installed.folder, 'dist/cli.js')
    const result = await new Promise((resolve) => {
      execFile(requireBinary('node-18'), [cli, 'doctor'], (error, stdout, stderr) => {
        resolve({ status: error?.code, printed: (stdout + stderr).trim() })
      })
    })

    expect(result).toEqual({ status: 2, printed: `identity-service-sdk: ${fault()}` })
  })
})

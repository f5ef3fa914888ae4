import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { describeWith, requireBinary } from '../support/programs.ts'

const program = `
  import { VerificationClient } from 'identity-service-sdk'
  const client = new VerificationClient({ baseUrl: 'https://id.example.com', apiKey: 'key' })
  await client.sessions.retrieve('sess_1').catch((error) => console.log(String(error)))
`

describeWith('node-26', "that Node's permission model without the network is named", () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installPackage()
  }, 60_000)

  afterAll(() => installed.remove())

  it('a call without --allow-net is a ConfigurationError that names the flag', async () => {
    const flags = ['--permission', '--allow-fs-read=*', '--input-type=module', '-e', program]

    const { stdout } = await promisify(execFile)(requireBinary('node-26'), flags, { cwd: installed.project })

    expect(stdout).toContain(
      "ConfigurationError: sessions.retrieve: Node's permission model forbids the connection to https://id.example.com (ERR_ACCESS_DENIED). Start node with --allow-net.",
    )
  })
})

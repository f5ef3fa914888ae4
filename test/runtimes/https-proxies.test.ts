import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { connectProxy } from '../support/connect-proxy.ts'
import { aSession } from '../support/fixtures.ts'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { describeWith, requireBinary } from '../support/programs.ts'
import { type Certificate, makeSelfSigned } from '../support/self-signed.ts'

const host = 'id.example.test'
const service = makeSelfSigned([host], 'service')
const proxies: Readonly<Record<string, Certificate>> = {
  localhost: makeSelfSigned(['localhost'], 'proxy by name'),
  '127.0.0.1': makeSelfSigned(['127.0.0.1'], 'proxy by address'),
  [host]: service,
}

/** Prints what Node's own fetch and a client report, if the proxy variables are set. */
const program = `
import { VerificationClient } from 'identity-service-sdk'
const codeOf = (error) => error.cause ? codeOf(error.cause) : error.code
const fetched = await fetch('https://${host}/').then(({ status }) => status, codeOf)
const client = new VerificationClient({ baseUrl: 'https://${host}', apiKey: 'key_1', maxRetries: 0 })
const called = await client.sessions.retrieve('sess_1').then(() => 200, ({ original }) => codeOf(original))
console.log(JSON.stringify({ fetched, called }))
process.exit()
`

// From version 26 on, Node's own fetch supports no https proxy at an address.
describeWith('node-24', "that TLS to a proxy is checked as by Node's own fetch", () => {
  let installed: InstalledPackage
  const trusted = () => join(installed.project, 'trusted.pem')

  beforeAll(async () => {
    installed = await installPackage()
    await writeFile(join(installed.project, 'https-proxy.mjs'), program)
    const all = Object.values(proxies).map(({ cert }) => cert)
    await writeFile(trusted(), all.join(''))
  }, 60_000)
  afterAll(() => installed.remove())

  it.each(['localhost', '127.0.0.1'].flatMap((name) => Object.keys(proxies).map((owner) => [name, owner] as const)))(
    'a proxy at %s with the certificate of %s',
    async (name, owner) => {
      const server = createServer(service, (_, response) => {
        response.end(JSON.stringify({ success: true, data: aSession() }))
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const tls = proxies[owner] as Certificate
      const proxy = await connectProxy({ tls, ports: { [`${host}:443`]: port } })
      onTestFinished(async () => {
        server.closeAllConnections()
        server.close()
        await proxy.close()
      })
      const HTTPS_PROXY = `https://user:password@${name}:${new URL(proxy.url).port}`
      const env = { HTTPS_PROXY, NODE_USE_ENV_PROXY: '1', NODE_EXTRA_CA_CERTS: trusted() }
      const options = { cwd: installed.project, env }

      const { stdout } = await promisify(execFile)(requireBinary('node-24'), ['https-proxy.mjs'], options)

      const expected = owner === name ? 200 : 'ERR_TLS_CERT_ALTNAME_INVALID'
      expect(JSON.parse(stdout)).toEqual({ fetched: expected, called: expected })
    },
  )
})

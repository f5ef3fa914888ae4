import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { installPackage } from '../support/installed-package.ts'
import { describeWith, requireBinary } from '../support/programs.ts'
import { selfSigned } from '../support/self-signed.ts'

const program = `
import { VerificationClient } from 'identity-service-sdk'
const client = new VerificationClient({ baseUrl: process.env.URL, apiKey: 'key_1', maxRetries: 0 })
await client.sessions.retrieve('sess_1').catch(() => {})
await (await fetch(process.env.URL + '/own')).text()
process.exit()
`

describeWith('node-26', 'that a client changes nothing for the rest of the process', () => {
  it('a call over undici leaves HTTP/2 to the fetch of Node 26', async () => {
    const requests: string[] = []
    const server = createSecureServer({ ...selfSigned, allowHTTP1: true }, ({ url, httpVersion }, response) => {
      requests.push(`${url} ${httpVersion}`)
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const installed = await installPackage()
    onTestFinished(() => installed.remove())
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`

    const env = { URL: url, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    await installed.run('own-fetch.mjs', program, env, requireBinary('node-26'))

    expect(requests).toEqual(['/api/v2/session/sess_1 1.1', '/own 2.0'])
  })
})

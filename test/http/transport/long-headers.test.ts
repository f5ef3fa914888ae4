import { expect, it } from 'vitest'
import { isSdkError } from '../../../src/index.ts'
import { showOnlyOurWords } from '../../support/error-detail.ts'
import { printed } from '../../support/printed.ts'
import { serveListener } from '../../support/serve-listener.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, transports } from '../../support/transports.ts'

showOnlyOurWords()

const long = 'k'.repeat(200_000)

/** A server that accepts headers of this length, and responds with an error that echoes one. */
async function echoingServer(maxHeaderSize: number): Promise<string> {
  const { url } = await serveListener(
    ({ headers }, response) => {
      const message = `rejected ${headers['x-api-key']} and ${headers['x-tenant']}`
      response.writeHead(503).end(JSON.stringify({ success: false, error: { code: 'engine_down', message } }))
    },
    { maxHeaderSize },
  )
  return url
}

const tooLong = [
  { what: 'an API key', options: { apiKey: long } },
  { what: 'an API key from a function', options: { apiKey: () => long } },
  { what: 'a header', options: { headers: { 'x-tenant': long } } },
]

const servers = [
  { status: 431, maxHeaderSize: 16_384 },
  { status: 503, maxHeaderSize: 2_000_000 },
]

it.each(
  transports.flatMap((transport) =>
    tooLong.flatMap((row) => servers.map((server) => ({ name: transport.name, transport, ...row, ...server }))),
  ),
)(
  '$name: throws an error of this package, without the value, if $what of 200,000 characters gets a $status',
  async ({ transport, options, status, maxHeaderSize }) => {
    const { client } = clientOver(transport, await echoingServer(maxHeaderSize), {
      ...options,
      maxRetries: 0,
    })

    const error = await thrownBy(client.sessions.retrieve('sess_1'))

    expect(isSdkError(error)).toBe(true)
    expect(error).toMatchObject({ operation: 'sessions.retrieve', status })
    expect(printed(error)).not.toContain('kkkk')
  },
)

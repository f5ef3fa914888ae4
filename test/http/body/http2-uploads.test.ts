import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { expect, it, onTestFinished, vi } from 'vitest'
import { idCheck, images, standalone } from '../../support/fixtures.ts'
import { patient } from '../../support/patience.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { testClient } from '../../support/verification-client.ts'

const photo = () => Buffer.concat([images.jpeg, Buffer.alloc(6 * 2 ** 20, 7)])

const success = (data: unknown) => JSON.stringify({ success: true, data, error: null })

/** A server that reads no upload before `read` is called. */
async function lateReader() {
  const uploads: { lengths: unknown[]; read: () => void } = { lengths: [], read: () => {} }
  const mayRead = new Promise<void>((resolve) => {
    uploads.read = resolve
  })
  const server = createSecureServer({ ...selfSigned, allowHTTP1: true }, async (request, response) => {
    if (request.method === 'POST') {
      uploads.lengths.push(request.headers['content-length'])
      await mayRead
      request.resume()
      await new Promise((resolve) => request.once('end', resolve))
      response.end(success(standalone(idCheck())))
    } else response.end(success({ data: [], total: 0 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, uploads }
}

it.each<[name: string, options: () => Parameters<typeof testClient>[0]]>([
  // undici 8 sends all requests over one connection by default.
  [
    'a dispatcher with HTTP/2',
    () => {
      const dispatcher = new Agent({ allowH2: true, pipelining: 100, connections: 1, connect: { ca: selfSigned.cert } })
      onTestFinished(() => dispatcher.destroy())
      return { fetch: undefined, dispatcher }
    },
  ],
  // HTTP/2 from Node 26 on.
  ['the fetch of Node', () => ({ fetch })],
])('over %s, images that a server has not read yet make no other call fail', async (_, options) => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const { url, uploads } = await lateReader()
  const { client } = testClient({ baseUrl: url, maxRetries: 0, ...options() })
  await client.sessions.list()
  const check = Promise.resolve(client.checks.idVerification({ front_image: photo(), back_image: photo() }))
  await vi.waitFor(() => expect(uploads.lengths).toHaveLength(1), patient)

  const lists = await Promise.allSettled([1, 2, 3, 4].map(() => client.sessions.list()))
  uploads.read()

  expect(lists.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'))
  expect(uploads.lengths).toEqual([expect.stringMatching(/^1258\d{4}$/)])
  await expect(check).resolves.toMatchObject({ status: 'passed' })
})

it('gives a fetch a long body in pieces, whose length is known and which can be sent again', async () => {
  const bodies: Buffer[] = []
  const longest: number[] = []
  const { client } = testClient({
    fetch: async (_, init) => {
      for (let i = 0; i < 2; i++) {
        const chunks: Uint8Array[] = []
        for await (const chunk of new Response(init?.body).body ?? []) chunks.push(chunk)
        longest.push(Math.max(...chunks.map(({ byteLength }) => byteLength)))
        bodies.push(Buffer.concat(chunks))
      }
      return new Response(success(standalone(idCheck())))
    },
  })
  const image = photo()

  await client.checks.liveness({ image })

  expect(longest).toEqual([2 ** 16, 2 ** 16])
  expect(bodies[0]?.equals(bodies[1] as Buffer)).toBe(true)
  expect(bodies[0]?.includes(image)).toBe(true)
})

import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type Fault, FaultProxy, type FaultProxyOptions } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import { respondWith, loopbackServer } from '../support/loopback-server.ts'

async function proxyTo(target: string | undefined, script?: FaultProxyOptions['script']) {
  const proxy = await FaultProxy.start({ target, script })
  onTestFinished(() => proxy.close())
  return proxy
}

/** Bytes sent, and what came back until the connection ended, and how it ended. */
async function exchange(url: string, ...pieces: readonly string[]) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const chunks: Buffer[] = []
  let code: string | undefined
  socket.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code
  })
  socket.on('data', (chunk) => chunks.push(chunk))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await closed
  return { text: Buffer.concat(chunks).toString(), code }
}

const closing = { afterwards: 'close' } as const
const get = 'GET /a?b HTTP/1.1\r\nhost: x\r\n\r\n'
const post = 'POST /a HTTP/1.1\r\nhost: x\r\nidempotency-key: k\r\ncontent-length: 6\r\n\r\nabcdef'
const chunked =
  'POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n'
const digest = createHash('sha256').update('abcdef').digest('hex')

it.each([
  ['a length', post],
  ['chunks', chunked],
])('a request whose body has %s passes, however it is cut up', async (_, request) => {
  const server = await loopbackServer(respondWith(201, 'done'))
  const proxy = await proxyTo(server.url, () => closing)

  const { text, code } = await exchange(proxy.url, ...request.split(/(?<=[bd3:\r])/))

  expect(code).toBeUndefined()
  expect(text).toMatch(/^HTTP\/1.1 201 [\s\S]*done\r\n0\r\n\r\n$/)
  expect(server.requests.map(({ body }) => body.toString())).toEqual(['abcdef'])
  expect(proxy.requests).toMatchObject([
    { number: 0, method: 'POST', path: '/a', bodyBytes: 6, sha256: digest, forwarded: true, status: 201 },
  ])
})

it('two requests that come as one are answered one after the other', async () => {
  const server = await loopbackServer(respondWith(200, 'one'), respondWith(200, 'two'))
  const proxy = await proxyTo(server.url, ({ onConnection }) => (onConnection === 1 ? closing : {}))

  const { text } = await exchange(proxy.url, get + post)

  expect(text).toMatch(/one[\s\S]*two/)
  expect(proxy.requests).toMatchObject([
    { path: '/a?b' },
    { idempotencyKey: 'k', connection: 0, onConnection: 1 },
  ])
})

const told = rawResponse(200, '0123456789', { 'x-long': 'header' })

it.each<[what: string, fault: Fault, code: string | undefined, text: RegExp, sha256: string | undefined]>([
  ['reset after the head', { at: 'request head' }, 'ECONNRESET', /^$/, undefined],
  ['reset within the body', { at: 'request body' }, 'ECONNRESET', /^$/, undefined],
  ['reset after the request', { at: 'request' }, 'ECONNRESET', /^$/, digest],
  ['closed after the request', { at: 'request', by: 'close' }, undefined, /^$/, digest],
  [
    'closed within the head',
    { at: 'answer head', by: 'close', response: told },
    undefined,
    /^HTTP.*\r\n[\s\S]*(?<!4)$/,
    digest,
  ],
  ['cut short', { at: 'answer body', by: 'close', response: told }, undefined, /\r\n\r\n01234$/, digest],
  ['trickled', { response: told, trickle: 'head', everyMs: 0, ...closing }, undefined, /0123456789$/, digest],
  ['reset in the end', { response: told, afterwards: 'reset' }, 'ECONNRESET', /0123456789$/, digest],
])('an exchange is %s', async (_, fault, code, text, sha256) => {
  const proxy = await proxyTo(undefined, () => fault)

  const result = await exchange(proxy.url, post)

  expect(result.code).toBe(code)
  expect(result.text).toMatch(text)
  expect(proxy.requests).toMatchObject([{ forwarded: false, sha256, idempotencyKey: 'k' }])
})

it('the target may do the work of a request that is never answered', async () => {
  const server = await loopbackServer(respondWith(201))
  const proxy = await proxyTo(server.url, () => ({ at: 'request', forward: true }))

  expect(await exchange(proxy.url, post)).toEqual({ text: '', code: 'ECONNRESET' })

  expect(server.requests).toHaveLength(1)
  expect(proxy.requests).toMatchObject([{ forwarded: true, status: 201 }])
})

it('refuses connections until it listens again, on the same port', async () => {
  const proxy = await proxyTo(undefined, () => ({ response: told, ...closing }))

  await proxy.stopListening()
  expect(await exchange(proxy.url, get)).toEqual({ text: '', code: 'ECONNREFUSED' })
  await proxy.listen()
  expect((await exchange(proxy.url, get)).text).toMatch(/^HTTP/)
})

it('resets a connection before anything is read', async () => {
  const proxy = await FaultProxy.start({ resetsConnection: (connection) => connection === 0 })
  onTestFinished(() => proxy.close())

  expect(await exchange(proxy.url, get)).toMatchObject({ code: 'ECONNRESET' })
  expect(proxy.requests).toEqual([])
})

it('closing leaves no socket, whatever was under way', async () => {
  const server = await loopbackServer(() => {})
  const faults: Fault[] = [
    {},
    { at: 'request', by: 'stall' },
    { response: told, trickle: 'head' },
    { delayMs: 1e6, response: told },
  ]
  const proxy = await proxyTo(server.url, ({ number }) => faults[number])
  const all = Promise.all(faults.map(() => exchange(proxy.url, post)))
  await expect.poll(() => proxy.requests.length).toBe(faults.length)

  await proxy.close()
  await all

  await expect.poll(() => proxy.openSockets).toBe(0)
})

it('a script that throws is told when the proxy is closed', async () => {
  const proxy = await FaultProxy.start({
    script: () => {
      throw new Error('of the script')
    },
  })

  await exchange(proxy.url, get)

  await expect(proxy.close()).rejects.toThrow('of the script')
})

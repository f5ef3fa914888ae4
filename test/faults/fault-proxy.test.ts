import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { type Fault, FaultProxy, type FaultProxyOptions } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import { loopbackServer, respondWith } from '../support/loopback-server.ts'

async function proxyTo(target: string | undefined, script?: FaultProxyOptions['script']) {
  const proxy = await FaultProxy.start({ target, script })
  onTestFinished(() => proxy.close())
  return proxy
}

/** Sends pieces of a request. Returns what was received until the connection ended, and the error code of its end. */
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
    await sleep(5)
  }
  await closed
  return { text: Buffer.concat(chunks).toString(), code }
}

const closing = { afterwards: 'close' } as const
const patiently = { interval: 2, timeout: 10_000 }
const get = 'GET /a?b HTTP/1.1\r\nhost: x\r\n\r\n'
const post = 'POST /a HTTP/1.1\r\nhost: x\r\nidempotency-key: k\r\ncontent-length: 6\r\n\r\nabcdef'
const chunked =
  'POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n'
const digest = createHash('sha256').update('abcdef').digest('hex')

it.each([
  ['a length', post],
  ['chunks', chunked],
])('forwards a request whose body has %s, in pieces of any size', async (_, request) => {
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

it('responds in order to two requests that arrive together', async () => {
  const server = await loopbackServer(respondWith(200, 'one'), respondWith(200, 'two'))
  const proxy = await proxyTo(server.url, ({ onConnection }) => (onConnection === 1 ? closing : {}))

  const { text } = await exchange(proxy.url, get + post)

  expect(text).toMatch(/one[\s\S]*two/)
  expect(proxy.requests).toMatchObject([
    { path: '/a?b' },
    { idempotencyKey: 'k', connection: 0, onConnection: 1 },
  ])
})

const response = rawResponse(200, '0123456789', { 'x-long': 'header' })

it.each<[what: string, fault: Fault, code: string | undefined, text: RegExp, sha256: string | undefined]>([
  ['resets the connection after the request head', { at: 'request head' }, 'ECONNRESET', /^$/, undefined],
  ['resets the connection in the request body', { at: 'request body' }, 'ECONNRESET', /^$/, undefined],
  ['resets the connection after the request', { at: 'request' }, 'ECONNRESET', /^$/, digest],
  ['closes the connection after the request', { at: 'request', by: 'close' }, undefined, /^$/, digest],
  [
    'closes the connection in the response head',
    { at: 'response head', by: 'close', response },
    undefined,
    /^HTTP.*\r\n[\s\S]*(?<!4)$/,
    digest,
  ],
  [
    'closes the connection in the response body',
    { at: 'response body', by: 'close', response },
    undefined,
    /\r\n\r\n01234$/,
    digest,
  ],
  [
    'sends the response one byte at a time',
    { response, trickle: 'head', everyMs: 0, ...closing },
    undefined,
    /0123456789$/,
    digest,
  ],
  [
    'resets the connection after the response',
    { response, afterwards: 'reset' },
    'ECONNRESET',
    /0123456789$/,
    digest,
  ],
])('%s', async (_, fault, code, text, sha256) => {
  const proxy = await proxyTo(undefined, () => fault)

  const result = await exchange(proxy.url, post)

  expect(result.code).toBe(code)
  expect(result.text).toMatch(text)
  expect(proxy.requests).toMatchObject([{ forwarded: false, sha256, idempotencyKey: 'k' }])
})

it('forwards a request although it resets the connection instead of responding', async () => {
  const server = await loopbackServer(respondWith(201))
  const proxy = await proxyTo(server.url, () => ({ at: 'request', forward: true }))

  expect(await exchange(proxy.url, post)).toEqual({ text: '', code: 'ECONNRESET' })

  expect(server.requests).toHaveLength(1)
  expect(proxy.requests).toMatchObject([{ forwarded: true, status: 201 }])
})

it('accepts no connections until it listens again, on the same port', async () => {
  const proxy = await proxyTo(undefined, () => ({ response, ...closing }))

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

it('leaves no socket open when it is closed during exchanges', async () => {
  const server = await loopbackServer(() => {})
  const faults: Fault[] = [
    {},
    { at: 'request', by: 'stall' },
    { response, trickle: 'head' },
    { delayMs: 1e6, response },
  ]
  const proxy = await proxyTo(server.url, ({ number }) => faults[number])
  const all = Promise.all(faults.map(() => exchange(proxy.url, post)))
  await expect.poll(() => proxy.requests.length, patiently).toBe(faults.length)

  await proxy.close()
  await all

  await expect.poll(() => proxy.openSockets, patiently).toBe(0)
})

it('throws the error of its script when it is closed', async () => {
  const proxy = await FaultProxy.start({
    script: () => {
      throw new Error('of the script')
    },
  })

  await exchange(proxy.url, get)

  await expect(proxy.close()).rejects.toThrow('of the script')
})

it('calls back when the client has to wait', async () => {
  const waits: string[] = []
  const faults: Fault[] = [
    { at: 'request', by: 'stall' },
    { response, trickle: 'body', everyMs: 0, ...closing },
  ]
  const proxy = await FaultProxy.start({
    script: ({ number }) => faults[number],
    onClientWaits: ({ number, fault }) => waits.push(`${number}: ${fault.by ?? fault.trickle}`),
  })
  onTestFinished(() => proxy.close())

  const stalled = exchange(proxy.url, get)
  await expect.poll(() => waits, patiently).toEqual(['0: stall'])
  await exchange(proxy.url, get)
  await proxy.stopListening()
  await stalled

  expect(waits).toEqual(['0: stall', ...Array(10).fill('1: body')])
})

import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { key, tokens } from '../oidc/issuer.ts'
import { aSession, livenessCheck, standalone } from '../support/fixtures.ts'
import { failure, halfResponse, type Responder, respondWith, success, trickle } from '../support/loopback-server.ts'
import { formOf } from '../support/sent-request.ts'

/** Starts the service that the program calls. The id of a session selects the response. */
export async function localService() {
  const silent = new Set<ServerResponse>()
  const traffic = new EventEmitter()
  const busy = new Map<string, string>()
  let writes: string[] = []
  let keyFetches = 0
  let keysReleased = Promise.resolve()

  /** Returns true on every second request with this name. */
  const isBusy = (name: string, body = ''): boolean => {
    const wasBusy = busy.delete(name)
    if (!wasBusy) busy.set(name, body)
    return !wasBusy
  }
  const tryLater = failure(503, 'server_error', { 'retry-after': '0' })

  const sessions: Readonly<Record<string, (request: IncomingMessage) => Responder | Promise<Responder>>> = {
    sess_1: ({ headers }) => success(aSession({ user_agent: headers['user-agent'] })),
    sess_busy: () => (isBusy('lookup') ? tryLater : success()),
    sess_writes: () => {
      const sent = writes
      writes = []
      return success(aSession({ sent }))
    },
    sess_missing: () => failure(404, 'not_found'),
    sess_elsewhere: () => respondWith(302, '', { location: '/api/v2/session/sess_1' }),
    sess_compressed: () => {
      const body = gzipSync(JSON.stringify({ success: true, data: aSession(), error: null }))
      return respondWith(200, body, { 'content-encoding': 'gzip' })
    },
    sess_cut: () => halfResponse,
    sess_trickle: () => trickle,
    sess_silent: () => (response) => {
      silent.add(response)
      response.once('close', () => {
        silent.delete(response)
        traffic.emit('change')
      })
      traffic.emit('change')
    },
    sess_arrived: async () => {
      while (silent.size === 0) await once(traffic, 'change')
      return success()
    },
    sess_left: async () => {
      while (silent.size > 0) await once(traffic, 'change')
      return success()
    },
  }

  async function upload(request: IncomingMessage, body: Buffer): Promise<Responder> {
    const { headers } = request
    const busyKey = headers['idempotency-key'] === 'busy' ? 'upload' : undefined
    const before = busyKey && busy.get(busyKey)
    const digest = digestOf(body)
    if (busyKey && isBusy(busyKey, digest)) return tryLater
    const received = {
      ...(await imageIn(headers['content-type'] ?? '', body)),
      hasLength: headers['content-length'] === String(body.byteLength),
      ...(before ? { isSameBody: before === digest } : {}),
    }
    return success(standalone({ ...livenessCheck(), data: { live_score: 1, result: 'live', received } } as never))
  }

  async function route(request: IncomingMessage, body: Buffer): Promise<Responder> {
    const line = `${request.method} ${request.url}`
    const session = /^GET \/api\/v2\/session\/(\w+)$/.exec(line)?.[1]
    if (session !== undefined) return sessions[session]?.(request) ?? failure(404, 'not_found')
    if (/wf_cut|vmem_cut/.test(line + body)) {
      writes.push(`${line} ${body}`.trim())
      return (response) => response.destroy()
    }
    if (line === 'POST /api/v2/session') return success(aSession({ metadata: JSON.parse(body.toString()).metadata }))
    if (line === 'POST /api/v2/liveness') return upload(request, body)
    if (line === 'GET /api/sdk/members') {
      return success({ members: [{ email: 'zoë@example.test' }], organization: { id: 1, name: 'Acme' } })
    }
    if (line === 'GET /api/auth/oidc/jwks.json') {
      keyFetches++
      traffic.emit('keys')
      return keysReleased.then(() => respondWith(200, { keys: [key.jwk] }))
    }
    if (line === 'POST /api/auth/oidc/token') return keysReleased.then(() => respondWith(200, tokens()))
    return failure(404, 'endpoint_not_found')
  }

  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const reply = await route(request, Buffer.concat(chunks)).catch(unreadable)
    reply(response, request)
  })
  // Longer than any test. A process that ends earlier did not wait for the server to close the connection.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Delays the responses to requests for keys and tokens until `release` is called. */
    holdKeys() {
      let release = () => {}
      const before = keyFetches
      keysReleased = new Promise((resolve) => {
        release = resolve
      })
      return { requested: once(traffic, 'keys'), release, fetches: () => keyFetches - before }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Responds to a request that cannot be read. */
const unreadable = (thrown: unknown) => respondWith(422, `unreadable: ${thrown}`)

export const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function imageIn(contentType: string, body: Buffer): Promise<object> {
  if (contentType === 'application/json') {
    return { json: digestOf(Buffer.from(JSON.parse(body.toString()).image, 'base64')) }
  }
  const request = new Request('http://service.test', {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: new Uint8Array(body),
  })
  const { image } = await formOf(request)
  if (typeof image !== 'object') return { image }
  return { filename: image.filename, type: image.type, sha256: digestOf(image.bytes) }
}

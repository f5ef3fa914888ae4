// Responds to every lookup after a delay, over HTTP/1.1 or, with a certificate, over HTTP/2. The first response is sent
// at once, so that the caller can load what it needs. `GET /counts` returns how many lookups wait and how many
// connections are open.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { listenForParent } from './listening.js'

const [delay = '0', key, cert] = process.argv.slice(2)
const check = { type: 'credential', status: 'passed', data: { match: true, mode: 'verify' }, error: null }
const result = JSON.stringify({
  success: true,
  data: { session_id: 'sess_1', status: 'passed', check },
  error: null,
})
const list = JSON.stringify({ success: true, data: [], error: null })
let first = true
let waiting = 0
let connections = 0

/** @type {import('node:http').RequestListener} */
const listener = (request, response) => {
  const end = (/** @type {string} */ body) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
    response.end(body)
  }
  if (request.url === '/counts') return end(JSON.stringify({ waiting, connections }))
  request.resume()
  if (first) {
    first = false
    return end(request.method === 'GET' ? list : result)
  }
  waiting++
  setTimeout(() => {
    waiting--
    end(request.method === 'GET' ? list : result)
  }, Number(delay))
}

const server =
  key === undefined || cert === undefined
    ? createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, listener)
    : createSecureServer(
        { key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true },
        /** @type {(request: import("node:http2").Http2ServerRequest, response: import("node:http2").Http2ServerResponse) => void} */ (
          /** @type {unknown} */ (listener)
        ),
      )
server.on('connection', (/** @type {import('node:net').Socket} */ socket) => {
  connections++
  socket.on('close', () => connections--)
})
listenForParent(server)

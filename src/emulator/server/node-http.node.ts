export { createServer } from 'node:http'
export { createServer as createTlsServer } from 'node:https'
export { getRequestListener, RequestError } from '@hono/node-server'

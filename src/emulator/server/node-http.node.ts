export { createServer } from 'node:http'
export { getRequestListener, RequestError } from '@hono/node-server'

#!/usr/bin/env bash
# http-proxy-middleware 4.2.2 with express 5.3.0: `fixRequestBody`, which is there so that a body that express.json()
# has read is proxied, writes the parsed value again. Numbers that JavaScript does not have are changed, and so are the
# bytes that a signature covers, with a `content-length` that fits. Seen: {"id": 12345678901234567890, "score": 1.0}
# arrives as {"id":12345678901234567000,"score":1}, and its HMAC-SHA256 differs. Mounted before express.json(), the
# proxy passes the bytes as they are.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund http-proxy-middleware@4.2.2 express@5.3.0 >>npm.log
cat >proxy.mjs <<'JS'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import { createProxyMiddleware, fixRequestBody } from 'http-proxy-middleware'

const sign = (body) => createHmac('sha256', 'secret').update(body).digest('hex')
const listen = async (server) => {
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}
const service = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const isSigned = request.headers['x-signature'] === sign(body)
  const isWhole = request.headers['content-length'] === String(body.length)
  response.end(`${body} signed: ${isSigned}, whole: ${isWhole}`)
})
const target = await listen(service.listen(0, '127.0.0.1'))
const proxy = createProxyMiddleware({ target, on: { proxyReq: fixRequestBody } })
const apps = [express().use(express.json(), proxy), express().use(proxy, express.json())]
const body = '{"id": 12345678901234567890, "score": 1.0}'
const headers = { 'content-type': 'application/json', 'x-signature': sign(body) }
for (const app of apps) {
  const url = await listen(app.listen(0, '127.0.0.1'))
  console.log(await (await fetch(url, { method: 'POST', headers, body })).text())
}
process.exit()
JS
[ "$(node proxy.mjs)" = '{"id":12345678901234567000,"score":1} signed: false, whole: true
{"id": 12345678901234567890, "score": 1.0} signed: true, whole: true' ]
echo 'as described'

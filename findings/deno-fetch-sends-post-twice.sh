#!/usr/bin/env bash
# Deno 2.9.6: if a server has read a POST and closes the connection without a response, `fetch` sends the POST again on
# a new connection, once, if the first connection had been used before. The program calls fetch once and sees one
# rejection. Seen: the server gets text, bytes and URLSearchParams twice, a Blob or a stream once. Node, Bun and undici
# send all of them once. A retry by the program comes on top: an order without an idempotency key is placed twice.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
# The package `deno` starts one of these.
platform=$(node -p '({ linux: `linux-${process.arch}-glibc`, darwin: `darwin-${process.arch}` })[process.platform]')
npm install --silent --no-audit --no-fund "@deno/$platform@2.9.6" >>npm.log
cat >order.mjs <<'JS'
const base = Deno.args[0]
const bodies = [
  ['text', 'amount=10'],
  ['bytes', new TextEncoder().encode('amount=10')],
  ['fields', new URLSearchParams({ amount: '10' })],
  ['blob', new Blob(['amount=10'])],
  ['stream', new Blob(['amount=10']).stream()],
]
for (const [name, body] of bodies) {
  await (await fetch(`${base}/health`)).text()
  const rejected = await fetch(`${base}/${name}`, { method: 'POST', body, duplex: 'half' }).then(
    () => false,
    () => true,
  )
  if (!rejected) throw new Error(name)
}
JS
cat >count.mjs <<'JS'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'

const orders = []
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  if (request.method === 'GET') return response.end('ok')
  if (body === 'amount=10') orders.push(request.url.slice(1))
  request.socket.destroy()
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const deno = spawn(process.argv[2], ['run', '--allow-net', 'order.mjs', `http://127.0.0.1:${server.address().port}`], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, DENO_NO_UPDATE_CHECK: '1', DENO_DIR: process.cwd() },
})
const [code] = await once(deno, 'exit')
if (code !== 0) process.exit(1)
console.log(orders.join(' '))
process.exit()
JS
[ "$(node count.mjs "$folder/node_modules/@deno/$platform/deno")" = 'text text bytes bytes fields fields blob stream' ]
echo 'as described'

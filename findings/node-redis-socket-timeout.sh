#!/usr/bin/env bash
# redis 6.3.1 and 5.12.1 (node-redis): a client with socket.socketTimeout and no reconnectStrategy closes for good when its
# connection was idle for that time. It does not reconnect, and every later command fails. Idle is enough: no command has
# to be waiting. Seen: "SocketTimeoutError", then "ClientClosedError" for a command two seconds later; with a
# reconnectStrategy, the same command succeeds.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund redis-6@npm:redis@6.3.1 redis-5@npm:redis@5.12.1 >>npm.log
cat >idle.mjs <<'JS'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

// A server that accepts every command: a map for HELLO, otherwise OK.
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (data) => {
    for (const command of data.toString().split(/(?=\*\d+\r\n)/))
      socket.write(/hello/i.test(command) ? '%1\r\n$5\r\nproto\r\n:3\r\n' : '+OK\r\n')
  })
}).listen(0, '127.0.0.1')
await new Promise((listening) => server.once('listening', listening))

const [name, strategy] = process.argv.slice(2)
const { createClient } = await import(name)
const reconnect = strategy === 'strategy' ? { reconnectStrategy: () => 10 } : {}
const socket = { host: '127.0.0.1', port: server.address().port, socketTimeout: 300, ...reconnect }
const errors = []
const client = createClient({ socket }).on('error', (error) => errors.push(error.constructor.name))
await client.connect()
await pause(2_000)
const result = await client.set('key', 'value').catch((error) => error.constructor.name)
console.log([...new Set(errors)].join(), result)
process.exit()
JS
for name in redis-6 redis-5; do
  [ "$(node idle.mjs $name none)" = 'SocketTimeoutError ClientClosedError' ]
  [ "$(node idle.mjs $name strategy)" = 'SocketTimeoutError OK' ]
done
echo 'as described'

#!/usr/bin/env bash
# winston 3.19.0 with format.json(): logger.error(new Error('declined')) writes a record without a message and without a
# stack; of two objects after the message, the second is lost; `message` of an object is appended to the message and is
# not a field; and an Error in a field is {}. Nothing warns. With pino 10.4.0, the first writes type, message and stack.
# Seen: {"level":"error"}; "failed declined"; "sent code"; {"a":1,...} without b; "error":{}.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund winston@3.19.0 pino@10.4.0 >>npm.log
cat >log.mjs <<'JS'
import { Writable } from 'node:stream'
import pino from 'pino'
import winston from 'winston'

const records = []
const stream = () =>
  new Writable({
    write(line, _encoding, done) {
      records.push(JSON.parse(line))
      done()
    },
  })
const logger = winston.createLogger({
  format: winston.format.json(),
  transports: [new winston.transports.Stream({ stream: stream() })],
})
logger.error(new Error('declined'))
logger.error('failed', new Error('declined'))
logger.info('sent', { message: 'code', to: 'person' })
logger.info('two', { a: 1 }, { b: 2 })
logger.error('field', { error: new Error('declined') })
pino(stream()).error(new Error('declined'))
for (const { stack, time, pid, hostname, err, ...record } of records)
  console.log(JSON.stringify(err ? { message: err.message, hasStack: err.stack !== undefined } : record))
JS
[ "$(node log.mjs)" = '{"level":"error"}
{"level":"error","message":"failed declined"}
{"level":"info","message":"sent code","to":"person"}
{"a":1,"level":"info","message":"two"}
{"error":{},"level":"error","message":"field"}
{"message":"declined","hasStack":true}' ]
echo 'as described'

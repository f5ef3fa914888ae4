#!/usr/bin/env bash
# @fastify/multipart 10.1.9, `attachFieldsToBody: 'keyValues'`: of the limits, a file that is too large and too many
# fields are answered with 413, but a field that is longer than `fieldSize` is cut, and handed over like a whole one,
# without an error, and without `valueTruncated`, which only `attachFieldsToBody: true` has. multer 2.5.0 rejects it.
# Seen: the length of a data URL of 2022 characters, and the answers for a file of 1500 bytes, with limits of 1000.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund fastify@5.12.8 @fastify/multipart@10.1.9 express@5.3.0 multer@2.5.0 >>npm.log
cat >forms.mjs <<'JS'
import { once } from 'node:events'
import multipart from '@fastify/multipart'
import express from 'express'
import fastify from 'fastify'
import multer from 'multer'

const limits = { fieldSize: 1000, fileSize: 1000 }
const app = fastify()
await app.register(multipart, { attachFieldsToBody: 'keyValues', limits })
app.post('/', async ({ body }) => Object.values(body)[0].length)
const url = await app.listen({ port: 0, host: '127.0.0.1' })

const other = express()
other.post('/', multer({ limits }).any(), ({ body, files }, response) => {
  response.json((body.photo ?? files[0].buffer).length)
})
other.use((error, request, response, next) => response.status(413).json(error.code))
const server = other.listen(0, '127.0.0.1')
await once(server, 'listening')
const otherUrl = `http://127.0.0.1:${server.address().port}`

const values = { field: `data:image/jpeg;base64,${'A'.repeat(1999)}`, file: new Blob(['A'.repeat(1500)]) }
for (const [name, to] of [['fastify', url], ['multer', otherUrl]]) {
  for (const [kind, value] of Object.entries(values)) {
    const body = new FormData()
    body.append('photo', value)
    const response = await fetch(to, { method: 'POST', body })
    const answer = JSON.parse(await response.text())
    console.log(name, kind, response.status, answer.code ?? answer)
  }
}
process.exit()
JS
[ "$(node forms.mjs)" = 'fastify field 200 1000
fastify file 413 FST_REQ_FILE_TOO_LARGE
multer field 413 LIMIT_FIELD_VALUE
multer file 413 LIMIT_FILE_SIZE' ]
echo 'as described'

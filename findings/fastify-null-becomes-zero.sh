#!/usr/bin/env bash
# fastify 5.12.8 (fast-json-stringify 7.3.10, Ajv 8.20.0): with a schema that names a type, a null is not rejected and
# does not stay null. In a response, null becomes false, 0, "" or {}, and an integer loses its fraction; in a request,
# null becomes false, 0 or "". "Not known yet" is read as "no" or "nothing is owed". Seen: a response of nulls is sent
# as {"verified":false,"balance":0,"seats":12,"checkedAt":"","person":{}}; a body of nulls arrives as
# {"verified":false,"limit":0,"name":""}. With `nullable: true`, or `type: ['boolean', 'null']`, null stays null.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund fastify@5.12.8 >>npm.log
cat >null.mjs <<'JS'
import Fastify from 'fastify'

const app = Fastify()
const object = (types) => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])),
})
const result = { verified: 'boolean', balance: 'number', seats: 'integer', checkedAt: 'string', person: 'object' }
app.get('/result', { schema: { response: { 200: object(result) } } }, async () => ({
  verified: null,
  balance: null,
  seats: 12.9,
  checkedAt: null,
  person: null,
}))
const optional = { 200: object({ verified: ['boolean', 'null'] }) }
app.get('/optional', { schema: { response: optional } }, async () => ({ verified: null }))
const settings = object({ verified: 'boolean', limit: 'number', name: 'string' })
app.post('/settings', { schema: { body: settings } }, async ({ body }) => JSON.stringify(body))

console.log((await app.inject('/result')).body)
console.log((await app.inject('/optional')).body)
const payload = { verified: null, limit: null, name: null }
console.log((await app.inject({ method: 'POST', url: '/settings', payload })).body)
JS
[ "$(node null.mjs)" = '{"verified":false,"balance":0,"seats":12,"checkedAt":"","person":{}}
{"verified":null}
{"verified":false,"limit":0,"name":""}' ]
echo 'as described'

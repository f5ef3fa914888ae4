#!/usr/bin/env bash
# postgres 3.4.9, Bun 1.4.5 (`Bun.SQL`) and pg 8.23.1 with Postgres (PGlite 0.5.14): JSON.stringify(value) for a jsonb
# column is encoded once more by postgres and by Bun, so that the column has a JSON string, and `->>` gives null,
# without an error. A cast to jsonb does not help, one to text does. pg stores the object, and needs JSON.stringify for
# arrays, so code that moves from pg to the others stores values that no query finds. Seen: the types and ids below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund pg@8.23.1 postgres@3.4.9 bun@1.4.5 @electric-sql/pglite@0.5.14 \
  @electric-sql/pglite-socket@0.2.17 >>npm.log
cat >bun.mjs <<'JS'
const { PORT: port, TEXT: text } = process.env
const address = { hostname: '127.0.0.1', port, username: 'postgres', password: 'any', database: 'postgres' }
const sql = new Bun.SQL({ adapter: 'postgres', ...address, max: 1 })
await sql`insert into people values ('Bun', ${text})`
await sql`insert into people values ('Bun with a cast', ${text}::jsonb)`
process.exit()
JS
cat >people.mjs <<'JS'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import pg from 'pg'
import postgres from 'postgres'

const db = await PGlite.create()
await db.exec('create table people (writer text, data jsonb)')
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 4 })
await server.start()
const PORT = server.getServerConn().split(':').pop()
const address = { host: '127.0.0.1', port: Number(PORT), user: 'postgres', password: 'any', database: 'postgres' }
const text = JSON.stringify({ id: 7 })

const client = new pg.Client(address)
await client.connect()
await client.query('insert into people values ($1, $2)', ['pg', text])
const sql = postgres({ ...address, max: 1 })
await sql`insert into people values ('postgres', ${text})`
await sql`insert into people values ('postgres with a cast', ${text}::jsonb)`
await sql`insert into people values ('postgres by text', ${text}::text::jsonb)`
await promisify(execFile)('node_modules/.bin/bun', ['bun.mjs'], { env: { ...process.env, PORT, TEXT: text } })

const { rows } = await db.query(`select writer, jsonb_typeof(data) as type, data->>'id' as id from people`)
for (const { writer, type, id } of rows) console.log(`${writer}: ${type} ${id}`)
process.exit()
JS
[ "$(node people.mjs)" = 'pg: object 7
postgres: string null
postgres with a cast: string null
postgres by text: object 7
Bun: string null
Bun with a cast: string null' ]
echo 'as described'

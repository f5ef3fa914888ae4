#!/usr/bin/env bash
# pg 8.23.1 and postgres 3.4.9 with Postgres (PGlite 0.5.14): an empty array as a parameter for a jsonb column is stored
# as an empty object by pg, without an error, because pg writes arrays in the syntax of Postgres, in which `{}` is the
# empty one. An array with elements fails with "invalid input syntax for type json", so the bug shows with the first
# list that is empty. Seen: pg stores {}, postgres stores []; JSON.stringify([]) is stored as [] by pg.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund pg@8.23.1 postgres@3.4.9 @electric-sql/pglite@0.5.14 \
  @electric-sql/pglite-socket@0.2.17 >>npm.log
cat >lists.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import pg from 'pg'
import postgres from 'postgres'

const db = await PGlite.create()
await db.exec('create table findings (writer text, list jsonb)')
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 2 })
await server.start()
const address = { host: '127.0.0.1', port: Number(server.getServerConn().split(':').pop()), user: 'postgres' }
const client = new pg.Client({ ...address, password: 'any', database: 'postgres' })
await client.connect()
const sql = postgres({ ...address, password: 'any', database: 'postgres', max: 1 })

const insert = 'insert into findings values ($1, $2)'
await client.query(insert, ['pg', []])
await client.query(insert, ['text', JSON.stringify([])])
await sql`insert into findings values ('postgres', ${[]})`
const failed = await client.query(insert, ['full', ['one']]).catch((error) => error.code)
const { rows } = await db.query('select writer, list from findings order by writer')
console.log(rows.map(({ writer, list }) => `${writer} ${JSON.stringify(list)}`).join(', '), failed)
process.exit()
JS
[ "$(node lists.mjs)" = 'pg {}, postgres [], text [] 22P02' ]
echo 'as described'

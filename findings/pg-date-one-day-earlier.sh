#!/usr/bin/env bash
# pg 8.23.1 and postgres 3.4.9 with Postgres (PGlite 0.5.14), in a process west of Greenwich: for a `date` column, pg
# means the local day of a Date, postgres the day in UTC, in both directions. A date of birth from `new
# Date('1990-05-01')` is stored as 30 April by pg and as 1 May by postgres; a column that one of them reads and the
# other writes moves by a day, and so do all of them when a program changes its driver. Seen in New York: written
# 1990-04-30 by pg, 1990-05-01 by postgres; 1 May written by a Date of pg is read back as it was, copied by postgres
# from Berlin it becomes 30 April.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund pg@8.23.1 postgres@3.4.9 @electric-sql/pglite@0.5.14 \
  @electric-sql/pglite-socket@0.2.17 >>npm.log
cat >births.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import pg from 'pg'
import postgres from 'postgres'

const db = await PGlite.create()
await db.exec("create table births (id text, day date); insert into births values ('first', '1990-05-01')")
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 2 })
await server.start()
const address = { host: '127.0.0.1', port: Number(server.getServerConn().split(':').pop()), user: 'postgres' }
const client = new pg.Client({ ...address, password: 'any', database: 'postgres' })
await client.connect()
const sql = postgres({ ...address, password: 'any', database: 'postgres', max: 1 })

const insert = 'insert into births values ($1, $2)'
const born = new Date('1990-05-01')
await client.query(insert, ['pg', born])
await sql`insert into births values ('postgres', ${born})`
const { rows } = await client.query("select day from births where id = 'first'")
await sql`insert into births values ('read by pg, written by postgres', ${rows[0].day})`
const [row] = await sql`select day from births where id = 'first'`
await client.query(insert, ['read by postgres, written by pg', row.day])
const stored = await db.query("select id, day::text from births where id <> 'first'")
for (const { id, day } of stored.rows) console.log(`${id}: ${day}`)
process.exit()
JS
[ "$(TZ=America/New_York node births.mjs)" = 'pg: 1990-04-30
postgres: 1990-05-01
read by pg, written by postgres: 1990-05-01
read by postgres, written by pg: 1990-04-30' ]
[ "$(TZ=Europe/Berlin node births.mjs)" = 'pg: 1990-05-01
postgres: 1990-05-01
read by pg, written by postgres: 1990-04-30
read by postgres, written by pg: 1990-05-01' ]
echo 'as described'

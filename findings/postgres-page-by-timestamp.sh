#!/usr/bin/env bash
# pg 8.23.1 and postgres 3.4.9 with Postgres (PGlite 0.5.14): a timestamptz has microseconds, the Date that both drivers
# return has milliseconds. Passed back as the cursor of the next page, it is earlier than the row that it came from.
# Seen: of ten rows, 200 microseconds apart, pages of two with `at < $1 order by at desc` return 4, and the other 6
# never; with `at > $1 order by at`, the first two come again for ever; `at = $1` finds no row. Nothing fails.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund pg@8.23.1 postgres@3.4.9 @electric-sql/pglite@0.5.14 \
  @electric-sql/pglite-socket@0.2.17 >>npm.log
cat >pages.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import pg from 'pg'
import postgres from 'postgres'

const db = await PGlite.create()
await db.exec(`create table checks (id int, at timestamptz);
  insert into checks select id, '2026-11-28 10:00:00Z'::timestamptz + id * interval '200 microseconds'
  from generate_series(1, 10) id`)
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 2 })
await server.start()
const address = { host: '127.0.0.1', port: Number(server.getServerConn().split(':').pop()), user: 'postgres' }
const client = new pg.Client({ ...address, password: 'any', database: 'postgres' })
await client.connect()
const sql = postgres({ ...address, password: 'any', database: 'postgres', max: 1 })
const drivers = {
  pg: async (text, values) => (await client.query(text, values)).rows,
  postgres: (text, values) => sql.unsafe(text, values),
}

for (const [name, query] of Object.entries(drivers)) {
  const newestFirst = []
  for (let before = new Date('2027-01-01'); ; ) {
    const page = await query('select id, at from checks where at < $1 order by at desc limit 2', [before])
    if (page.length === 0) break
    newestFirst.push(...page.map(({ id }) => id))
    before = page.at(-1).at
  }
  const oldestFirst = []
  for (let after = new Date(0), turn = 0; turn < 3; turn++) {
    const page = await query('select id, at from checks where at > $1 order by at limit 2', [after])
    oldestFirst.push(...page.map(({ id }) => id))
    after = page.at(-1).at
  }
  const [row] = await query('select at from checks where id = 3', [])
  const same = await query('select id from checks where at = $1', [row.at])
  console.log(name, newestFirst.join(), oldestFirst.join(), same.length)
}
process.exit()
JS
seen='10,9,4,3 1,2,1,2,1,2 0'
[ "$(node pages.mjs)" = "pg $seen
postgres $seen" ]
echo 'as described'

#!/usr/bin/env bash
# drizzle-orm 0.45.4 with pg 8.23.1, a column `timestamp()`: `gt`, `lt` and `set` write a Date as UTC. In `sql`, also
# next to the column, the same Date is written as the local time of the process, without an error, because only `gt`
# and its like know the type of the column. Seen: which rows of now are an hour old at most, or not from the future,
# and by how many hours a Date that was set differs, in New York, UTC and Berlin.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund --legacy-peer-deps drizzle-orm@0.45.4 pg@8.23.1 \
  @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 >>npm.log
cat >rows.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { gt, lt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, timestamp } from 'drizzle-orm/pg-core'
import pg from 'pg'

const postgres = await PGlite.create()
await postgres.exec('create table sessions (created_at timestamp)')
const server = new PGLiteSocketServer({ db: postgres, host: '127.0.0.1', port: 0 })
await server.start()
const port = Number(server.getServerConn().split(':').pop())
const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'any', database: 'postgres' })
await client.connect()

const db = drizzle(client)
const sessions = pgTable('sessions', { createdAt: timestamp('created_at') })
const { createdAt } = sessions
const now = new Date('2026-11-02T12:00:00Z')
const [before, after] = [-1, 1].map((hours) => new Date(now.getTime() + hours * 3_600_000))
await db.insert(sessions).values({ createdAt: now })
const count = (where) => db.$count(sessions, where)
const found = [
  await count(gt(createdAt, before)),
  await count(sql`${createdAt} > ${before}`),
  await count(lt(createdAt, after)),
  await count(sql`${createdAt} < ${after}`),
]
await db.update(sessions).set({ createdAt: sql`${now}` })
const [row] = await db.select().from(sessions)
console.log('gt', found[0], 'sql', found[1], 'lt', found[2], 'sql', found[3], 'set', (row.createdAt - now) / 3_600_000)
process.exit()
JS
[ "$(TZ=America/New_York node rows.mjs)" = 'gt 1 sql 1 lt 1 sql 0 set -5' ]
[ "$(TZ=UTC node rows.mjs)" = 'gt 1 sql 1 lt 1 sql 1 set 0' ]
[ "$(TZ=Europe/Berlin node rows.mjs)" = 'gt 1 sql 0 lt 1 sql 1 set 1' ]
echo 'as described'

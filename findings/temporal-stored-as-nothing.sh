#!/usr/bin/env bash
# Node 26.12.1 with its own Temporal: a Temporal.PlainDate, such as a date of birth, is stored without an error as {} by
# bson 7.3.4 (the mongodb driver) and @msgpack/msgpack 3.1.3, as NULL by node:sqlite, and with quotes around it in a
# text column by pg 8.23.1. JSON.stringify keeps it. dequal 2.0.3 finds different dates equal, and lodash 4.18.1 and
# es-toolkit 1.53.2 find the same date different, so a sync misses changes, or writes each time. Seen: the values below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
platform=$(node -p '`${process.platform}-${process.arch}`')
npm install --silent --no-audit --no-fund bson@7.3.4 @msgpack/msgpack@3.1.3 pg@8.23.1 @electric-sql/pglite@0.5.14 \
  @electric-sql/pglite-socket@0.2.17 dequal@2.0.3 lodash@4.18.1 es-toolkit@1.53.2 \
  node@npm:"node-$platform@26.12.1" >>npm.log
cat >dates.mjs <<'JS'
import { DatabaseSync } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { decode, encode } from '@msgpack/msgpack'
import { deserialize, serialize } from 'bson'
import { dequal } from 'dequal'
import { isEqual as toolkit } from 'es-toolkit'
import lodash from 'lodash'
import pg from 'pg'

const [born, same, other] = ['1990-05-17', '1990-05-17', '1991-01-01'].map((day) => Temporal.PlainDate.from(day))
const log = (name, value) => console.log(name, JSON.stringify(value))
log('json', born)
log('bson', deserialize(serialize({ born })).born)
log('msgpack', decode(encode({ born })).born)

const sqlite = new DatabaseSync(':memory:')
sqlite.exec('create table people (born text)')
sqlite.prepare('insert into people values (?)').run(born)
log('sqlite', sqlite.prepare('select born from people').get().born)

const db = await PGlite.create()
await db.exec('create table people (born text)')
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 })
await server.start()
const port = Number(server.getServerConn().split(':').pop())
const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'any', database: 'postgres' })
await client.connect()
await client.query('insert into people values ($1)', [born])
log('pg', (await client.query('select born from people')).rows[0].born)

for (const [name, equal] of Object.entries({ dequal, lodash: lodash.isEqual, toolkit }))
  console.log(name, equal({ born }, { born: same }), equal({ born }, { born: other }))
process.exit()
JS
[ "$(node_modules/node/bin/node dates.mjs)" = 'json "1990-05-17"
bson {}
msgpack {}
sqlite null
pg "\"1990-05-17\""
dequal true true
lodash false false
toolkit false false' ]
echo 'as described'

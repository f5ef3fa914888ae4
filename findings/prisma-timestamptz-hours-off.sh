#!/usr/bin/env bash
# @prisma/adapter-pg 7.10.0, with prisma 7.10.0: a `timestamptz` is sent without its offset, and the offset of what is
# read is replaced by +00:00, so if the time zone of the database, role or connection is not UTC, each is hours off.
# Prisma reads what it wrote itself, so tests pass; `now()` of Postgres, triggers and other programs differ.
# Seen: what Postgres has of 12:00 UTC that Prisma wrote, and what Prisma reads of 12:00 UTC that Postgres wrote.
# Reported as https://github.com/prisma/orm/issues/28629.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund prisma@7.10.0 @prisma/client@7.10.0 @prisma/adapter-pg@7.10.0 \
  @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 >>npm.log
cat >schema.prisma <<'PRISMA'
generator client {
  provider = "prisma-client-js"
}

datasource db {
  provider = "postgresql"
}

model Session {
  id Int      @id
  at DateTime @db.Timestamptz(3)
}
PRISMA
# What migrates databases is not needed, and not downloaded.
PRISMA_SCHEMA_ENGINE_BINARY=$(type -P true) npx prisma generate >>npm.log 2>&1
cat >rows.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '@prisma/client'

for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York']) {
  const postgres = await PGlite.create()
  await postgres.exec('create table "Session" (id int primary key, at timestamptz(3) not null)')
  const server = new PGLiteSocketServer({ db: postgres, host: '127.0.0.1', port: 0 })
  await server.start()
  const port = Number(server.getServerConn().split(':').pop())
  const connection = { host: '127.0.0.1', port, user: 'postgres', password: 'any', database: 'postgres', max: 1 }
  const prisma = new PrismaClient({ adapter: new PrismaPg(connection) })
  await prisma.$executeRawUnsafe(`set time zone '${zone}'`)

  await prisma.session.create({ data: { id: 1, at: new Date('2026-07-01T12:00:00Z') } })
  await postgres.exec(`insert into "Session" values (2, '2026-07-01T12:00:00Z')`)
  const inUtc = `to_char(at at time zone 'UTC', 'HH24:MI') as at`
  const stored = await postgres.query(`select ${inUtc} from "Session" where id = 1`)
  const read = await prisma.session.findMany({ orderBy: { id: 'asc' } })
  const [own, other] = read.map(({ at }) => at.toISOString().slice(11, 16))
  console.log(zone, 'written', stored.rows[0].at, 'read', own, 'of Postgres', other)
}
process.exit()
JS
[ "$(node rows.mjs)" = 'UTC written 12:00 read 12:00 of Postgres 12:00
Europe/Berlin written 10:00 read 12:00 of Postgres 14:00
America/New_York written 16:00 read 12:00 of Postgres 08:00' ]
echo 'as described'

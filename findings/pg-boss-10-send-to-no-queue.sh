#!/usr/bin/env bash
# pg-boss 10.4.2 with Postgres (PGlite 0.5.14): `send` to a queue that was not created resolves to null, and nothing is
# stored; 12.38.0 rejects. npm on Node 20 installs 10.4.2, because later versions require a newer Node. Seen: null from
# 10.4.2 and "Queue events does not exist" from 12.38.0; to a queue that was created, both resolve to the id of a job.
# Code that waits for the promise, and then confirms the receipt of an event, loses it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund old@npm:pg-boss@10.4.2 new@npm:pg-boss@12.38.0 @electric-sql/pglite@0.5.14 \
  @electric-sql/pglite-socket@0.2.17 >>npm.log
cat >send.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { PgBoss } from 'new'
import OldPgBoss from 'old'

for (const [name, Boss] of Object.entries({ old: OldPgBoss, new: PgBoss })) {
  const db = await PGlite.create()
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 4 })
  await server.start()
  const port = Number(server.getServerConn().split(':').pop())
  const connection = { host: '127.0.0.1', port, user: 'postgres', password: 'any', database: 'postgres', max: 1 }
  const boss = new Boss({ ...connection, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  const send = () =>
    boss.send('events', { id: 1 }).then(
      (id) => (typeof id === 'string' ? 'stored' : String(id)),
      (error) => error.message,
    )
  const before = await send()
  await boss.createQueue('events')
  console.log(name, before, await send())
}
process.exit()
JS
[ "$(node send.mjs)" = 'old null stored
new Queue events does not exist stored' ]
echo 'as described'

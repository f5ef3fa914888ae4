#!/usr/bin/env bash
# knex 3.3.0 with its client better-sqlite3 (on libsql 0.5.29, which has the same API and needs no compiler):
# `timestamps(true, true)` and `knex.fn.now()` write text, and a Date is bound as a number of milliseconds. In SQLite
# each text is greater than each number, so no such row is ever before a Date, and all are after it: what deletes old
# rows deletes none, and a list of new rows has all. better-sqlite3 12.11.1 and sqlite3 6.0.1 do the same. Seen: a row
# created now is not before tomorrow, but after it; a row whose Date was passed is before tomorrow.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund knex@3.3.0 better-sqlite3@npm:libsql@0.5.29 >>npm.log
cat >rows.mjs <<'JS'
import knexOf from 'knex'

const knex = knexOf({ client: 'better-sqlite3', connection: { filename: ':memory:' }, useNullAsDefault: true })
await knex.schema.createTable('sessions', (table) => {
  table.string('name')
  table.timestamps(true, true)
})
await knex('sessions').insert({ name: 'default' })
await knex('sessions').insert({ name: 'date', created_at: new Date() })
const tomorrow = new Date(Date.now() + 86_400_000)
const names = async (sign) => (await knex('sessions').where('created_at', sign, tomorrow)).map(({ name }) => name)
console.log('before', ...(await names('<')), 'after', ...(await names('>')))
await knex.destroy()
JS
[ "$(node rows.mjs)" = 'before date after default' ]
echo 'as described'

#!/usr/bin/env bash
# csv-stringify 6.9.0 and csv-parse 7.0.3: `false` is written as an empty cell, as null, undefined and '' are, and true
# as 1. Read again, a person who declined and one who was never asked are the same. papaparse 5.7.1, fast-csv 5.0.8 and
# d3-dsv 3.0.2 write `false`. A change from one of them to csv-stringify loses the column without an error. Seen:
# "approved,asked" of { approved: false, asked: true } is ",1" with csv-stringify, "false,true" with the others.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund csv-stringify@6.9.0 csv-parse@7.0.3 papaparse@5.7.1 fast-csv@5.0.8 \
  d3-dsv@3.0.2 >>npm.log
cat >rows.mjs <<'JS'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { csvFormat } from 'd3-dsv'
import { writeToString } from 'fast-csv'
import Papa from 'papaparse'

const people = [{ approved: false, asked: true }]
const written = [
  stringify(people, { header: true }),
  Papa.unparse(people),
  await writeToString(people, { headers: true }),
  csvFormat(people),
]
for (const text of written) console.log(text.trim().split(/\r?\n/)[1])
const read = (approved) => parse(stringify([{ approved, id: 1 }], { header: true }), { columns: true })[0].approved
console.log(JSON.stringify([false, null, undefined, ''].map(read)))
JS
[ "$(node rows.mjs)" = ',1
false,true
false,true
false,true
["","","",""]' ]
echo 'as described'

#!/usr/bin/env bash
# V8 of Node 22.23.3 and 26.12.1, and Postgres (PGlite 0.5.14): toFixed(2) and Intl.NumberFormat round one number to
# different cents, because the first rounds the exact value of the double and the second its shortest decimal form. The
# page of an invoice says 1.01, its export 1.00. Postgres rounds a half up if it is numeric and to the even neighbor if
# it is double precision. Seen: 1.005 is 1.00 and 1.01, 2.675 is 2.67 and 2.68; of 0.005 to 9.995, the two differ for
# 480 of 1000 amounts; round(2.5) is 3, round(2.5::float8) is 2.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
platform=$(node -p '`${process.platform}-${process.arch}`')
npm install --silent --no-audit --no-fund node-22@npm:"node-$platform@22.23.3" node-26@npm:"node-$platform@26.12.1" \
  @electric-sql/pglite@0.5.14 >>npm.log
cat >cents.cjs <<'JS'
const page = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const amounts = Array.from({ length: 1000 }, (_, cents) => Number(`${cents / 100 + 0.005}`.slice(0, 5)))
const differ = amounts.filter((amount) => amount.toFixed(2) !== page.format(amount)).length
console.log([1.005, 2.675].map((amount) => `${amount.toFixed(2)} ${page.format(amount)}`).join(', '), differ)
JS
cat >round.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'

const db = await PGlite.create()
const { rows } = await db.query('select round(2.5)::text as exact, round(2.5::float8)::text as double')
console.log(rows[0].exact, rows[0].double)
JS
for major in 22 26; do
  [ "$(node_modules/node-$major/bin/node cents.cjs)" = '1.00 1.01, 2.67 2.68 480' ]
done
[ "$(node round.mjs)" = '3 2' ]
echo 'as described'

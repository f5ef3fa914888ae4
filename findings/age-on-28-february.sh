#!/usr/bin/env bash
# date-fns 4.4.0, luxon 3.7.2, dayjs 1.11.23, temporal-polyfill 1.0.8 and Postgres (PGlite 0.5.14): of a person born on
# 29 February 2004, they do not agree about the age on 28 February 2022. A check "at least 18" passes a day earlier or
# later by the library, and Postgres contradicts itself: age() says 17, and birth + 18 years is already reached. Seen:
# date-fns 17, luxon 18, dayjs 18, Temporal 17, age() 17, birth + interval '18 years' <= day: true. On 27 February all
# say 17, on 1 March all say 18.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund date-fns@4.4.0 luxon@3.7.2 dayjs@1.11.23 temporal-polyfill@1.0.8 \
  @electric-sql/pglite@0.5.14 >>npm.log
cat >age.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'
import { differenceInYears, parseISO } from 'date-fns'
import dayjs from 'dayjs'
import { DateTime } from 'luxon'
import { Temporal } from 'temporal-polyfill'

const db = await PGlite.create()
const born = '2004-02-29'
const statement = `select extract(year from age($1::date, $2::date))::int as years,
  $2::date + interval '18 years' <= $1::date as reached`
for (const day of ['2022-02-27', '2022-02-28', '2022-03-01']) {
  const { rows } = await db.query(statement, [day, born])
  const ages = {
    'date-fns': differenceInYears(parseISO(day), parseISO(born)),
    luxon: Math.floor(DateTime.fromISO(day).diff(DateTime.fromISO(born), 'years').years),
    dayjs: dayjs(day).diff(born, 'year'),
    temporal: Temporal.PlainDate.from(born).until(day, { largestUnit: 'years' }).years,
    postgres: rows[0].years,
  }
  console.log(day, ...Object.values(ages), rows[0].reached)
}
JS
[ "$(node age.mjs)" = '2022-02-27 17 17 17 17 17 false
2022-02-28 17 18 18 17 17 true
2022-03-01 18 18 18 18 18 true' ]
echo 'as described'

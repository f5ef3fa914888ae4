#!/usr/bin/env bash
# dayjs 1.11.23 with its plugins utc and timezone, and luxon 3.7.2: on a day when clocks change, `startOf('day')` of
# dayjs can be an hour early or late, although it formats as 00:00, and it depends on the zone of the process. Seen:
# in TZ=UTC, 4 October 2026 in Sydney starts at 23:00 on the 3rd, and 5 April at 01:00; in TZ=America/New_York also
# 29 March in Berlin starts at 23:00 on the 28th. `hour(0)` in TZ=UTC does so for Berlin too. luxon starts each at
# 00:00. A day then has an hour of the day before, or lacks its first one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund dayjs@1.11.23 luxon@3.7.2 >>npm.log
cat >days.mjs <<'JS'
import dayjs from 'dayjs'
import timezone from 'dayjs/plugin/timezone.js'
import utc from 'dayjs/plugin/utc.js'
import { DateTime } from 'luxon'

dayjs.extend(utc)
dayjs.extend(timezone)
const days = [
  ['2026-10-04', 'Australia/Sydney'],
  ['2026-04-05', 'Australia/Sydney'],
  ['2026-03-29', 'Europe/Berlin'],
]
for (const [day, zone] of days) {
  const time = (date) => date.toLocaleString('sv', { timeZone: zone, timeStyle: 'short', dateStyle: 'short' }).slice(8)
  const noon = dayjs.tz(`${day} 12:00`, zone)
  const other = DateTime.fromISO(`${day}T12:00`, { zone }).startOf('day')
  for (const start of [noon.startOf('day'), noon.hour(0)])
    console.log(zone, start.format('HH:mm'), 'is', time(start.toDate()), 'and', time(other.toJSDate()))
}
JS
[ "$(TZ=UTC node days.mjs)" = 'Australia/Sydney 00:00 is 03 23:00 and 04 00:00
Australia/Sydney 00:00 is 03 23:00 and 04 00:00
Australia/Sydney 00:00 is 05 01:00 and 05 00:00
Australia/Sydney 00:00 is 05 01:00 and 05 00:00
Europe/Berlin 00:00 is 29 00:00 and 29 00:00
Europe/Berlin 00:00 is 28 23:00 and 29 00:00' ]
[ "$(TZ=America/New_York node days.mjs | tail -n 2)" = 'Europe/Berlin 00:00 is 28 23:00 and 29 00:00
Europe/Berlin 00:00 is 28 23:00 and 29 00:00' ]
echo 'as described'

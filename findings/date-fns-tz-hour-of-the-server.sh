#!/usr/bin/env bash
# date-fns-tz 3.2.0: `formatInTimeZone` formats by way of a local Date, so a time that does not exist where the process
# runs, in the hour that is skipped there in spring, is shown an hour late for every other zone, and `fromZonedTime` of
# such a Date is an hour late too. `format` with a TZDate of @date-fns/tz 1.5.0, and Intl, are right.
# Seen: an appointment at 02:30 in Tokyo, which is 03:30 if the process runs in New York, and 02:30 if it runs in UTC.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund date-fns@4.4.0 date-fns-tz@3.2.0 @date-fns/tz@1.5.0 >>npm.log
cat >times.mjs <<'JS'
import { TZDate } from '@date-fns/tz'
import { format } from 'date-fns'
import { formatInTimeZone } from 'date-fns-tz'

const starts = new Date('2026-03-07T17:30:00Z')
const timeZone = 'Asia/Tokyo'
const intl = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone })
console.log(
  `formatInTimeZone ${formatInTimeZone(starts, timeZone, 'HH:mm XXX')}`,
  `TZDate ${format(new TZDate(starts, timeZone), 'HH:mm')} Intl ${intl.format(starts)}`,
)
JS
[ "$(TZ=America/New_York node times.mjs)" = 'formatInTimeZone 03:30 +09:00 TZDate 02:30 Intl 02:30' ]
[ "$(TZ=UTC node times.mjs)" = 'formatInTimeZone 02:30 +09:00 TZDate 02:30 Intl 02:30' ]
echo 'as described'

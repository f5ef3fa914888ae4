#!/usr/bin/env bash
# croner 11.0.1, cron-parser 5.10.6 (BullMQ and pg-boss use it) and cron 4.4.0: they do not agree how often an
# expression runs on the two days a year when clocks change. Seen for `*/30 2 * * *` in Europe/Berlin: on 28 March 2027,
# when there is no 2 o'clock, croner runs 0 times, the others once; on 25 October 2026, when there are two, croner runs
# 4 times, the others twice. `30 2 * * *` runs once on the day in March in all of them, at 3:00 or at 3:30: in croner, a
# fixed minute moves into the next hour, and a range of minutes is dropped. A job that bills by the run does so four
# times, or not at all.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund croner@11.0.1 cron-parser@5.10.6 cron@4.4.0 >>npm.log
cat >runs.mjs <<'JS'
import { CronTime } from 'cron'
import { CronExpressionParser } from 'cron-parser'
import { Cron } from 'croner'

const zone = 'Europe/Berlin'
const next = {
  croner: (expression, from) => new Cron(expression, { timezone: zone, paused: true }).nextRun(from),
  'cron-parser': (expression, from) =>
    CronExpressionParser.parse(expression, { currentDate: from, tz: zone }).next().toDate(),
  cron: (expression, from) => new CronTime(expression, zone).getNextDateFrom(from, zone).toJSDate(),
}
const day = (date) => date.toLocaleDateString('sv', { timeZone: zone })
const time = (date) => date.toLocaleTimeString('sv', { timeZone: zone, timeStyle: 'short' })

for (const [name, nextRun] of Object.entries(next)) {
  const runsOn = (expression, wanted) => {
    const runs = []
    let at = nextRun(expression, new Date(Date.parse(wanted) - 12 * 3_600_000))
    for (; day(at) <= wanted; at = nextRun(expression, at)) if (day(at) === wanted) runs.push(time(at))
    return runs
  }
  const counts = ['2027-03-28', '2026-10-25', '2026-11-28'].map((date) => runsOn('*/30 2 * * *', date).length)
  console.log(name, ...counts, runsOn('30 2 * * *', '2027-03-28').join())
}
JS
[ "$(node runs.mjs)" = 'croner 0 4 2 03:00
cron-parser 1 2 2 03:30
cron 1 2 2 03:00' ]
echo 'as described'

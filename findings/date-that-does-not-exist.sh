#!/usr/bin/env bash
# joi 18.3.2, yup 1.7.1, zod 4.6.7, validator 13.15.35, date-fns 4.4.0 and dayjs 1.11.23: a date of birth with a typo,
# 1990-02-30, is valid for the schemas of dates, and is stored as 2 March, because they pass it to `new Date`. So is
# joi's string().isoDate(). yup also accepts a day 32. z.iso.date(), validator.isDate() and parseISO refuse it. And the
# accepted dates differ: yup, dayjs and parseISO take a day for local midnight, so that in Berlin its ISO form is the
# day before; joi and zod take it for midnight in UTC. Seen in TZ=Europe/Berlin: the dates in UTC below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund joi@18.3.2 yup@1.7.1 zod@4.6.7 validator@13.15.35 date-fns@4.4.0 \
  dayjs@1.11.23 >>npm.log
cat >dates.mjs <<'JS'
import { parseISO } from 'date-fns'
import dayjs from 'dayjs'
import Joi from 'joi'
import validator from 'validator'
import * as yup from 'yup'
import * as z from 'zod'

const readers = {
  joi: (text) => Joi.attempt(text, Joi.date().iso()),
  isoDate: (text) => Joi.attempt(text, Joi.string().isoDate()),
  coerce: (text) => z.coerce.date().parse(text),
  yup: (text) => yup.date().validateSync(text),
  dayjs: (text) => dayjs(text).toDate(),
  iso: (text) => z.iso.date().parse(text),
  parseISO: (text) => parseISO(text),
  isDate: (text) => validator.isDate(text) && text,
}
for (const [name, read] of Object.entries(readers)) {
  const seen = ['1990-05-17', '1990-02-30', '1990-02-32'].map((text) => {
    try {
      return new Date(read(text) || NaN).toISOString().slice(0, 10)
    } catch {
      return 'refused'
    }
  })
  console.log(name, ...seen)
}
JS
[ "$(TZ=Europe/Berlin node dates.mjs)" = 'joi 1990-05-17 1990-03-02 refused
isoDate 1990-05-17 1990-03-02 refused
coerce 1990-05-17 1990-03-02 refused
yup 1990-05-16 1990-03-01 1990-03-03
dayjs 1990-05-16 1990-03-01 1990-03-03
iso 1990-05-17 refused refused
parseISO 1990-05-16 refused refused
isDate 1990-05-17 refused refused' ]
echo 'as described'

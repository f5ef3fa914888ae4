#!/usr/bin/env bash
# csv-parse 7.0.3 with `cast: true`, exceljs 4.4.0 and xlsx 0.18.5 (SheetJS): a phone number in CSV such as
# +491701234567 is read as the number 491701234567, without its plus, and an id of 20 digits is rounded to another id.
# Quotes do not help. papaparse 5.7.1 with `dynamicTyping` keeps both as text. All four read the postal code 01067 as
# the number 1067. Seen: the values below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund csv-parse@7.0.3 exceljs@4.4.0 xlsx@0.18.5 papaparse@5.7.1 >>npm.log
cat >read.mjs <<'JS'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import ExcelJS from 'exceljs'
import Papa from 'papaparse'
import XLSX from 'xlsx'

const text = '"+491701234567","12345678901234567890","01067"\n'
const sheet = await new ExcelJS.Workbook().csv.read(Readable.from([text]))
const rows = {
  'csv-parse': parse(text, { cast: true })[0],
  exceljs: sheet.getRow(1).values.slice(1),
  xlsx: XLSX.utils.sheet_to_json(XLSX.read(text, { type: 'string' }).Sheets.Sheet1, { header: 1 })[0],
  papaparse: Papa.parse(text, { dynamicTyping: true, skipEmptyLines: true }).data[0],
}
for (const [name, row] of Object.entries(rows)) console.log(name, JSON.stringify(row))
JS
[ "$(node read.mjs)" = 'csv-parse [491701234567,12345678901234567000,1067]
exceljs [491701234567,12345678901234567000,1067]
xlsx [491701234567,12345678901234567000,1067]
papaparse ["+491701234567","12345678901234567890",1067]' ]
echo 'as described'

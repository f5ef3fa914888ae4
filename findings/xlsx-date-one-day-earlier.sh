#!/usr/bin/env bash
# xlsx 0.18.5 (SheetJS, the newest on npm) and exceljs 4.4.0: a cell with a day, such as a date of birth, is read as
# different days. xlsx with `cellDates` returns midnight of the process, and in zones whose offset of 1899 had seconds
# some seconds less, so that in Shanghai and Kolkata even the local day is the day before. In Berlin toISOString() is
# the day before. exceljs returns midnight in UTC, whose local day is the day before in New York. Seen for the cell
# 1990-05-17: the local days and the days in UTC below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund xlsx@0.18.5 exceljs@4.4.0 >>npm.log
cat >read.mjs <<'JS'
import ExcelJS from 'exceljs'
import XLSX from 'xlsx'

const written = new ExcelJS.Workbook()
written.addWorksheet('people').getCell('A1').value = new Date('1990-05-17T00:00:00Z')
written.worksheets[0].getCell('A1').numFmt = 'yyyy-mm-dd'
const file = await written.xlsx.writeBuffer()

const book = new ExcelJS.Workbook()
await book.xlsx.load(file)
const days = {
  xlsx: XLSX.read(file, { cellDates: true }).Sheets.people.A1.v,
  exceljs: book.worksheets[0].getCell('A1').value,
}
const read = Object.entries(days).map(([name, date]) => `${name} ${date.getDate()} ${date.getUTCDate()}`)
console.log(process.env.TZ, read.join(' '))
JS
seen=$(for zone in UTC Europe/Berlin Asia/Shanghai Asia/Kolkata America/New_York; do TZ=$zone node read.mjs; done)
[ "$seen" = 'UTC xlsx 17 17 exceljs 17 17
Europe/Berlin xlsx 17 16 exceljs 17 17
Asia/Shanghai xlsx 16 16 exceljs 17 17
Asia/Kolkata xlsx 16 16 exceljs 17 17
America/New_York xlsx 17 17 exceljs 16 17' ]
echo 'as described'

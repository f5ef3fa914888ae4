import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { emulated, runCli, temporaryFolder } from '../terminal.ts'

const formula = "Eve;=cmd|' /C calc'!A0;"

/** Names of characters that separate columns and rows, quote cells, start formulas or look like escapes. */
const trickyName = fc
  .string({
    unit: fc.constantFrom(...',;\t\r\n"\' =+-@\\u0aé\u00a0\u200b\u202e\uff1d', 'Eve', formula, '\\u000a'),
    minLength: 1,
    maxLength: 12,
  })
  .filter((name) => name.trim() !== '')

/** Exports an organization with one member who has this first name. */
async function exported(firstName: string): Promise<string> {
  const { env, fetch } = emulated({ members: [{ email: 'ada@example.com', first_name: firstName }] })
  return (await runCli('members export', { env, fetch })).stdout
}

/** Adds the people of a file to an organization without members, and returns the first name that was sent. */
async function imported(csv: string): Promise<unknown> {
  const { emulator, env, fetch } = emulated()
  const file = join(await temporaryFolder(), 'people.csv')
  await writeFile(file, csv)
  await runCli(`members sync ${file} --apply`, { env, fetch })
  const added = emulator.requests.find(({ operation }) => operation === 'members.add')
  return JSON.parse(added?.body ?? '{}').members?.[0].first_name
}

const separatedBy = (separator: string, csv: string) =>
  (parse(csv) as string[][])
    .map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator)}\n`)
    .join('')

/** The cells that a program shows that separates columns by another character, so that quotes are in odd places. */
const misread = (csv: string, delimiter: string) =>
  (parse(csv, { delimiter, relax_quotes: true, relax_column_count: true }) as string[][]).flat()

/** The same without any regard for quotes. */
const split = (csv: string) => csv.split(/[,;\t\r\n]/)

const startsFormula = (cell: string) => /^[\s\p{Cf}"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u.test(cell)

it('a cell does not start a formula, whether columns are separated by commas, semicolons or tabs', async () => {
  await fc.assert(
    fc.asyncProperty(trickyName, async (name) => {
      const csv = await exported(name)

      const cells = [...misread(csv, ','), ...misread(csv, ';'), ...misread(csv, '\t'), ...split(csv)]
      expect(cells.filter(startsFormula)).toEqual([])
    }),
    {
      examples: [
        [formula],
        ['Eve;"=1"'],
        ['a\n=1'],
        ['a\r=1'],
        ['a\r\n=1'],
        ['\t=1'],
        ["';=1"],
        [';;=1'],
        ['\n ="'],
        ...['=', '+', '-', '@', '\t', ' =', '\u00a0+', '\u200b@', '\uff1d', "'=", '"='].map((start): [string] => [
          `${start}1,"2";3`,
        ]),
      ],
    },
  )
})

it.each([',', ';', '\t'])(
  'an export whose columns a program separates by %j is imported as it was exported',
  async (separator) => {
    await fc.assert(
      fc.asyncProperty(trickyName, async (name) => {
        expect(await imported(separatedBy(separator, await exported(name)))).toBe(name)
      }),
      {
        numRuns: 30,
        examples: [
          [formula],
          ['Ada\nByron'],
          ['Ada\r\nByron\n'],
          [' Ada '],
          ["'=1"],
          ["a;''=1"],
          ['\\u000a'],
          ['=1+1'],
          ['+1'],
          ['-Ada'],
          ['@da'],
          ["''-1"],
          ["'Ada"],
          ['A\u200fd\u202ea'],
          [String.raw`\\u005cu202e`],
          [String.raw`C:\users`],
        ],
      },
    )
  },
)

it('a line break is a line break inside a quoted cell, also in a file', async () => {
  const { env, fetch } = emulated({
    members: [{ email: 'ada@example.com', first_name: 'Ada\r\nByron\nKing' }],
  })
  const out = join(await temporaryFolder(), 'roster.csv')
  await runCli(`members export --out ${out}`, { env, fetch })
  const { stdout } = await runCli('members export', { env, fetch })

  // Excel reads a file as UTF-8 only with a byte order mark, and a program in a pipe may not expect one.
  expect(await readFile(out, 'utf8')).toBe(`\ufeff${stdout}`)
  expect(parse(stdout, { columns: true })).toMatchObject([{ first_name: 'Ada\r\nByron\nKing' }])
})

it('a terminal shows a line break inside a cell as an escape, so that no name can write a line of its own', async () => {
  const { env, fetch } = emulated({ members: [{ email: 'ada@example.com', first_name: 'Ada\r\nerror: x' }] })

  const { stdout } = await runCli('members export', { env, fetch, terminals: ['stdout'] })

  expect(stdout).toContain(String.raw`"Ada\u000d\u000aerror: x"`)
})

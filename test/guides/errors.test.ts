import { readdirSync, readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { withCatalogue } from '../../docs/error-catalogue.js'
import { EmulatorError } from '../../src/emulator.ts'
import * as exported from '../../src/index.ts'
import { documented } from '../support/documented.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/errors.md'
const guide = documented('docs/errors.md')
const { emulator } = guide
const at = (path: string) => new URL(`../../${path}`, import.meta.url)

beforeEach(() => emulator.reset())

it('each kind of failure is told apart', async () => {
  const { adult } = await guide.load<{ adult(dob: string): Promise<string> }>('Tell them apart')
  const fails = (fault: Parameters<typeof emulator.faults.add>[0]) =>
    emulator.faults.add({ ...fault, match: 'checks.age', times: 3 })
  const born = '1990-01-01'

  expect(await adult(born)).toBe('passed')
  fails({ code: 'validation_error' })
  expect(await adult(born)).toBe('mend the date')
  emulator.reset()
  fails({ status: 429, headers: { 'retry-after': '61' } })
  expect(await adult(born)).toBe('later: 61000')
  emulator.reset()
  fails({ reset: true, when: 'after' })
  expect(await adult(born)).toMatch(/^ask again as [\da-f-]{36}$/)
  emulator.reset()
  fails({ status: 402 })
  expect(await adult(born)).toMatch(/^PaymentRequiredError \w+$/)
})

it('an error is logged as the page shows it', async () => {
  const printed = await guide.run('Log them')
  const shown = JSON.parse(blockOf(page, 'json', 'Log them'))

  expect(JSON.parse(printed)).toEqual({ ...shown, requestId: expect.stringMatching(/^req_/) })
})

/** Every class that a caller can catch, with the status that makes it, or its code. */
const classes = Object.entries({ ...exported, EmulatorError }).filter(
  ([name, value]) => /^[A-Z]\w*Error$/.test(name) && typeof value === 'function',
)

it('every class of error is in one of the tables', () => {
  const named = [...columnOf(page, 'By status', 1), ...columnOf(page, 'What each carries')]
  const roots = ['SdkError', 'CallError']

  expect([...named.map((cell) => cell.replace(' and its classes', '')), ...roots].sort()).toEqual(
    classes.map(([name]) => name).sort(),
  )
})

it.each(columnOf(page, 'By status').map((status, row) => ({ status, row })))(
  'status $status is of the class that stands beside it',
  async ({ status, row }) => {
    const client = new exported.VerificationClient({ ...emulator.options.verification, maxRetries: 0 })
    emulator.faults.add({ status: Number(status.replace('xx', '01')) })

    const error: unknown = await client.sessions.list().catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({ name: columnOf(page, 'By status', 1)[row] })
  },
)

it('every class stands beside the code that it has', () => {
  const files = ['src/errors', 'src/emulator'].flatMap((folder) =>
    readdirSync(at(folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(at(`${folder}/${file}`), 'utf8')),
  )
  const declared = files.flatMap((source) => [
    ...source.matchAll(/class (\w+) extends \w+ \{\s+readonly code = '(\w+)'/g),
  ])
  const names = columnOf(page, 'What each carries')
  const codes = columnOf(page, 'What each carries', 1)

  expect(declared.length).toBeGreaterThan(15)
  for (const [, name, code] of declared) expect(codes[names.indexOf(String(name))], name).toBe(code)
})

it('what is seen at three in the morning are names that exist', () => {
  const own = columnOf(page, 'What each carries', 1)
  const known = new Set([...Object.keys(exported.errorCatalog), ...own, ...classes.map(([name]) => name)])
  const seen = columnOf(page, 'At three in the morning').flatMap((cell) => cell.split(/, | with /))

  const unknown = seen.filter((name) => !known.has(name) && name !== '5xx')

  expect(unknown).toEqual(['signature_mismatch', 'keys_unavailable'])
})

it('the catalogue is what errorCatalog says', () => {
  const text = readFileSync(at(page), 'utf8')

  expect(columnOf(page, 'The catalogue').sort()).toEqual(Object.keys(exported.errorCatalog).sort())
  expect(withCatalogue(text, exported.errorCatalog)).toBe(text)
})

import { readdirSync, readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { withCatalog } from '../../docs/reference/error-catalog.js'
import { EmulatorError, type Fault } from '../../src/emulator.ts'
import * as exported from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/reference/errors.md'
const guide = documentedCode('docs/reference/errors.md')
const { emulator } = guide
const at = (path: string) => new URL(`../../${path}`, import.meta.url)

beforeEach(() => emulator.reset())

it('the example distinguishes every kind of failure', async () => {
  const { adult } = await guide.load<{ adult(dob: string): Promise<string> }>('Handle an error')
  const fails = (fault: Fault<'checks.age'>) =>
    emulator.faults.add({ ...fault, match: 'checks.age', times: 3 })
  const born = '1990-01-01'

  expect(await adult(born)).toBe('passed')
  fails({ code: 'validation_error' })
  expect(await adult(born)).toBe('correct the date')
  emulator.reset()
  fails({ status: 429, headers: { 'retry-after': '61' } })
  expect(await adult(born)).toBe('retry after 61000')
  emulator.reset()
  fails({ reset: true, when: 'after' })
  expect(await adult(born)).toMatch(/^retry with key [\da-f-]{36}$/)
  emulator.reset()
  fails({ status: 402 })
  expect(await adult(born)).toMatch(/^PaymentRequiredError \w+$/)
})

it('the TypeScript example compiles and explains an error', async () => {
  const { explain } = await guide.load<{ explain(error: unknown): string }>('Narrow in TypeScript')
  const { ConflictError, NotFoundError, TimeoutError, InvalidParamsError } = exported
  const message = 'no'

  expect([
    explain(new ConflictError({ code: 'already_decided', message, details: { status: 'APPROVED' } })),
    explain(new TimeoutError({ mayHaveArrived: false })),
    explain(new InvalidParamsError({ issues: [{ path: 'dob', message: 'must be a date' }] })),
    explain(new NotFoundError({ code: 'not_found', message })),
    explain(new NotFoundError({ code: 'a_future_code' as string as exported.ErrorCode, message })),
  ]).toEqual([
    'already decided: APPROVED',
    'retry',
    'dob must be a date',
    exported.errorCatalog.not_found.meaning,
    'request: 404 a_future_code: no',
  ])
  expect(() => explain(new Error('another'))).toThrow('another')
  const files = { 'narrow.mts': guide.code('Narrow in TypeScript') }
  expect(await guide.installed.compile(files, { module: 'nodenext', lib: 'es2022' })).toBe('')
})

it('errors are constructed as the page shows', async () => {
  expect(await guide.run('Construct errors in tests')).toBe(
    '404 true checks.age: an attempt outlasted timeoutMs (5000 ms)\n',
  )
})

it('the table of constructors lists every error class', () => {
  const listed = columnOf(page, 'Construct errors in tests').flatMap((cell) => cell.split(', '))
  const others = columnOf(page, 'Classes by status', 1)

  expect([...listed.filter((cell) => !cell.startsWith('subclasses')), ...others].sort()).toEqual(
    columnOf(page, 'Properties by class')
      .map((cell) => cell.replace(' and its subclasses', ''))
      .concat(others)
      .sort(),
  )
})

it('an error is logged as the page shows it', async () => {
  const printed = await guide.run('Log errors')
  const expected = JSON.parse(blockOf(page, 'json', 'Log errors'))

  const logged = JSON.parse(printed)
  expect(logged.requestId).toMatch(/^req_/)
  expect(JSON.parse(printed.replaceAll(logged.requestId, expected.requestId))).toEqual(expected)
})

/** Every class that a caller can catch, with its status or its code. */
const classes = Object.entries({ ...exported, EmulatorError }).filter(
  ([name, value]) => /^[A-Z]\w*Error$/.test(name) && typeof value === 'function',
)

it('the tables list every error class', () => {
  const listed = [...columnOf(page, 'Classes by status', 1), ...columnOf(page, 'Properties by class')]
  const roots = ['SdkError', 'CallError']

  expect([...listed.map((cell) => cell.replace(' and its subclasses', '')), ...roots].sort()).toEqual(
    classes.map(([name]) => name).sort(),
  )
})

it.each(columnOf(page, 'Classes by status').map((status, row) => ({ status, row })))(
  'status $status is thrown as the class that the table gives',
  async ({ status, row }) => {
    const client = new exported.VerificationClient({ ...emulator.options.verification, maxRetries: 0 })
    emulator.faults.add({ status: Number(status.replace('xx', '01')) })

    const error: unknown = await client.sessions.list().catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({ name: columnOf(page, 'Classes by status', 1)[row] })
  },
)

it('the table gives the code of every class', () => {
  const files = ['src/errors', 'src/emulator'].flatMap((folder) =>
    readdirSync(at(folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(at(`${folder}/${file}`), 'utf8')),
  )
  const declared = files.flatMap((source) => [
    ...source.matchAll(/class (\w+) extends \w+ \{\s+readonly code = '(\w+)'/g),
  ])
  const names = columnOf(page, 'Properties by class')
  const codes = columnOf(page, 'Properties by class', 1)

  expect(declared.length).toBeGreaterThan(15)
  for (const [, name, code] of declared) expect(codes[names.indexOf(String(name))], name).toBe(code)
})

it('"When a call fails" names only errors that exist', () => {
  const own = columnOf(page, 'Properties by class', 1)
  const known = new Set([...Object.keys(exported.errorCatalog), ...own, ...classes.map(([name]) => name)])
  const listed = columnOf(page, 'When a call fails').flatMap((cell) => cell.split(/, | with /))

  const unknown = listed.filter((name) => !known.has(name) && name !== '5xx')

  expect(unknown).toEqual(['signature_mismatch', 'keys_unavailable'])
})

it('the error catalog of the page is generated from errorCatalog', () => {
  const text = readFileSync(at(page), 'utf8')

  expect(columnOf(page, 'Error catalog').sort()).toEqual(Object.keys(exported.errorCatalog).sort())
  expect(withCatalog(text, exported.errorCatalog)).toBe(text)
})

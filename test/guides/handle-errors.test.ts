import { beforeEach, expect, it } from 'vitest'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import type { Fault } from '../../src/emulator.ts'
import * as exported from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/guides/handle-errors.md'
const guide = documentedCode('docs/guides/handle-errors.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('the example distinguishes every kind of failure', async () => {
  const { adult } = await guide.load<{ adult(dob: string): Promise<string> }>('Handle an error')
  const fails = (fault: Fault<'checks.age'>) => emulator.faults.add({ ...fault, match: 'checks.age', times: 3 })
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
    errorCatalog().not_found.meaning,
    'request: 404 a_future_code: no',
  ])
  expect(() => explain(new Error('another'))).toThrow('another')
  const files = { 'narrow.mts': guide.code('Narrow in TypeScript') }
  expect(await guide.installed.compile(files, { module: 'nodenext', lib: 'es2022' })).toBe('')
})

it('an error is logged as the page shows it', async () => {
  const printed = await guide.run('Log errors')
  const expected = JSON.parse(blockOf(page, 'json', 'Log errors'))

  const logged = JSON.parse(printed)
  expect(logged.requestId).toMatch(/^req_/)
  expect(JSON.parse(printed.replaceAll(logged.requestId, expected.requestId))).toEqual(expected)
})

it('the table names only errors that exist', () => {
  const own = columnOf('docs/reference/errors.md', 'Properties by class', 1)
  const known = new Set([...Object.keys(errorCatalog()), ...Object.keys(exported), ...own])
  const listed = columnOf(page, 'Decide whether to call again').flatMap((cell) => cell.split(/, | with /))

  const unknown = listed.filter((name) => !known.has(name) && name !== '5xx')

  expect(unknown).toEqual(['signature_mismatch', 'keys_unavailable'])
})

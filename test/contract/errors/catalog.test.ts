import { expect, it } from 'vitest'
import { type ErrorCatalogEntry, errorCatalog } from '../../../src/contract/errors/catalog.ts'
import { finalCodes } from '../../../src/contract/errors/codes.ts'
import { catalog, codesOutsideTheTable } from '../error-codes.ts'

const entries: [code: string, entry: ErrorCatalogEntry][] = Object.entries(errorCatalog())

it('has the 147 codes of the table in section 7, and those that the contract names elsewhere', () => {
  const codes = [...catalog, ...codesOutsideTheTable].map(({ code }) => code)

  expect(catalog).toHaveLength(147)
  expect(Object.keys(errorCatalog()).sort()).toEqual(codes.sort())
})

it.each([...catalog, ...codesOutsideTheTable])(
  'gives $code the statuses $statuses of the contract, and its meaning',
  ({ code, statuses, meaning }) => {
    const entry = entries.find(([name]) => name === code)?.[1]

    expect(entry?.statuses).toEqual(statuses)
    expect(entry?.meaning).toMatch(meaning ?? /guessed from the name/)
  },
)

it('gives each code a unique meaning of one sentence that says more than the name', () => {
  for (const [code, { meaning }] of entries) {
    expect(meaning, code).toMatch(/^[A-Z][^.]+\.$/)
    expect(meaning.slice(0, -1).toLowerCase(), code).not.toBe(code.replaceAll('_', ' '))
  }
  expect(new Set(entries.map(([, { meaning }]) => meaning)).size).toBe(entries.length)
})

it('gives each code one of four actors and one of three retry values', () => {
  for (const [code, { advice }] of entries) {
    expect(['caller', 'end_user', 'operator', 'wait'], code).toContain(advice.actor)
    expect(['never', 'after_change', 'later'], code).toContain(advice.retry)
  }
})

it('advises a later retry for server failures, rate limits and a key that is in progress', () => {
  const isTransient = (status: number) => status >= 500 || status === 429
  const settingsAndLocks = [
    'invalid_config',
    'misconfigured',
    'sso_not_configured',
    'too_many_attempts',
    'verification_soft_locked',
  ]
  const transient = entries.filter(
    ([code, { statuses }]) =>
      (statuses.some(isTransient) || code === 'idempotency_in_progress') && !settingsAndLocks.includes(code),
  )

  const later = entries.filter(([, { advice }]) => advice.retry === 'later')

  expect(later).toEqual(transient)
  expect(later.map(([code]) => code)).toEqual(
    expect.arrayContaining(['internal_error', 'rate_limited', 'engine_unreachable']),
  )
})

it('advises the caller only to wait if a later retry can succeed', () => {
  for (const [code, { advice }] of entries) {
    if (advice.actor === 'wait') expect(advice.retry, code).toBe('later')
  }
})

it('advises against a retry if the resource is gone or already decided', () => {
  const gone = entries.filter(([, { statuses }]) => statuses.includes(410))

  expect(gone.map(([code, { advice }]) => [code, advice.retry])).toEqual(gone.map(([code]) => [code, 'never']))
  expect(errorCatalog().already_decided.advice.retry).toBe('never')
  expect(errorCatalog().session_closed.advice.retry).toBe('never')
})

it('advises a change for the codes that no retry helps, although their status suggests it', () => {
  expect(finalCodes.filter((code) => errorCatalog()[code].advice.retry !== 'after_change')).toEqual([])
})

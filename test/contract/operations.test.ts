import { expect, expectTypeOf, it } from 'vitest'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import type { DocumentedCode, Operations } from '../../src/contract/operations.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { exchangeCode, oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { ageVerification, checkEndpoints } from '../../src/contract/verification/checks.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { documentedCodes } from '../../src/emulator/state/faults/fault-code.ts'
import { inProcess } from '../emulator/support/service.ts'
import { columnOf } from '../guides/reading.ts'

const declared = [...verificationEndpoints, ...oidcEndpoints, ...legacyEndpoints, ...organizationEndpoints]

type Declaration = (typeof declared)[number]

/** The declarations, as a type. */
type Declared = {
  readonly [One in Declaration as One['operation']]: {
    readonly route: `${One['method']} ${One['path']}`
    readonly code: One extends { readonly errors: readonly (infer Code)[] } ? Code : never
    readonly key: One['replay'] extends 'with-key' ? 'with-key' : 'without-key'
  }
}

/** Compares member by member, because interfaces and mapped types are never identical. */
type Differences = {
  [Name in keyof Declared | keyof Operations]: Name extends keyof Declared & keyof Operations
    ? [Declared[Name], Operations[Name]] extends [Operations[Name], Declared[Name]]
      ? never
      : Name
    : Name
}[keyof Declared | keyof Operations]

it('the types of operations have the names, routes, codes and keys of the declarations', () => {
  expectTypeOf<Differences>().toEqualTypeOf<never>()
  expectTypeOf<DocumentedCode<'billing.retrieve'>>().toEqualTypeOf<
    'invalid_request' | 'invalid_client' | 'unauthorized_client'
  >()
})

it('the emulator serves each operation of the types', () => {
  const { emulator } = inProcess()
  for (const { operation } of declared)
    expect(() => emulator.faults.add({ match: operation, status: 500 })).not.toThrow()
})

it('an operation documents its own codes, those of its interface, and those of its key', () => {
  expect(documentedCodes(ageVerification)).toEqual([
    'validation_error',
    'invalid_api_key',
    'not_found',
    'unprocessable',
    'rate_limited',
    'internal_error',
    'idempotency_in_progress',
    'idempotency_key_reused',
  ])
  expect(documentedCodes(exchangeCode)).toEqual([...exchangeCode.errors])
})

it('the guide of standalone checks lists the codes that each check can give, with their statuses', () => {
  const page = 'docs/standalone-checks.md'
  const codes = [...new Set(checkEndpoints.flatMap(documentedCodes))]
  const rows = codes.map((code) => {
    const checks = checkEndpoints.filter((check) => documentedCodes(check).includes(code))
    const names = checks.map(({ operation }) => operation.replace('checks.', ''))
    const givenBy = checks.length === checkEndpoints.length ? 'every check' : names.join(', ')
    return [code, errorCatalog[code].statuses.join(', '), givenBy]
  })

  const listed = columnOf(page, 'Error codes').map((code, row) => [
    code,
    columnOf(page, 'Error codes', 1)[row],
    columnOf(page, 'Error codes', 2)[row],
  ])

  expect(listed.sort()).toEqual(rows.sort())
})

import { expect, it } from 'vitest'
import { documentedCodes } from '../../src/contract/documented-codes.ts'
import { type Endpoint, findEndpoint } from '../../src/contract/endpoint.ts'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import type { Operations } from '../../src/contract/operations.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { exchangeCode, oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { ageVerification, checkEndpoints } from '../../src/contract/verification/checks.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import type { FaultOperation } from '../../src/emulator/model/faults/fault-match.ts'
import { createEmulator } from '../../src/emulator.ts'
import { isSdkError, OrgClient, VerificationClient } from '../../src/index.ts'
import { columnOf } from '../guides/reading.ts'
import { codesOfNoOperation, operations } from '../support/operations.ts'
import { rosterOperations } from '../support/roster-operations.ts'

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

/**
 * Compares member by member, because interfaces and mapped types are never identical. The interface of an operation,
 * such as `MemberOperations`, is next to its declaration in src/contract.
 */
type OperationsThatDifferFromTheirInterfaceInContract = {
  [Name in keyof Declared | keyof Operations as Name extends keyof Declared & keyof Operations
    ? [Declared[Name], Operations[Name]] extends [Operations[Name], Declared[Name]]
      ? never
      : Name
    : Name]: never
}

it('the types of operations have the names, routes, codes and keys of the declarations', () => {
  // Compiles only if there are none. The compiler names those that differ.
  const none: OperationsThatDifferFromTheirInterfaceInContract = {}

  expect(none).toEqual({})
})

/** The operations as the tests describe them, by hand from the contract, each with the file and a call of it. */
const described = [
  ...operations.map((operation) => ({
    ...operation,
    file: 'test/support/operations.ts',
    run: (emulator: ReturnType<typeof createEmulator>) =>
      operation.call(new VerificationClient({ ...emulator.options.verification, maxRetries: 0 })),
  })),
  ...rosterOperations.map((operation) => ({
    ...operation,
    file: 'test/support/roster-operations.ts',
    run: (emulator: ReturnType<typeof createEmulator>) =>
      operation.call(new OrgClient({ ...emulator.options.org, maxRetries: 0 })),
  })),
]

const endpoints: readonly Endpoint[] = [...verificationEndpoints, ...organizationEndpoints]

it.each(endpoints)('$operation is described by hand', ({ operation, path }) => {
  const file = path.startsWith('/api/sdk') ? 'roster-operations.ts' : 'operations.ts'
  const found = described.filter(({ name }) => name === operation)

  expect(found.length, `${operation} is not described: add it to test/support/${file}`).toBe(1)
})

it.each(described)('$name is declared as the contract states it', ({ name, file, section, ...stated }) => {
  const { method, path, errors } = stated
  const { endpoint } = findEndpoint(endpoints, method, path) ?? {}
  const note = `${name}: src/contract and ${file} differ`

  expect(endpoint?.operation, `${note}: no declaration has ${method} ${path}`).toBe(name)
  expect(endpoint?.section, `${note} in the section`).toBe(section)
  if ('billable' in stated) expect(endpoint?.billable ?? false, `${note} in billable`).toBe(stated.billable)
  if ('isSafe' in stated) expect(endpoint?.replay === 'safe', `${note} in replay`).toBe(stated.isSafe)
  const codes = errors.map(([, code]) => code)
  const own: readonly string[] = endpoint?.errors ?? []
  const possible: readonly string[] = endpoint ? documentedCodes(endpoint) : []
  expect(
    own.filter((code) => !codes.includes(code)),
    `${note}: add these codes to its errors in ${file}`,
  ).toEqual([])
  expect(
    codes.filter((code) => !possible.includes(code) && !codesOfNoOperation.includes(code)),
    `${note}: add these codes to its errors in src/contract`,
  ).toEqual([])
})

it.each(described)('the emulator accepts the params of $name', async ({ name, run }) => {
  // These ids do not exist in the emulator. It must still route the path and accept the params.
  const outcome: unknown = await run(createEmulator()).catch((thrown: unknown) => thrown)

  const code = isSdkError(outcome) ? outcome.code : 'no error'
  const note =
    code === 'invalid_params'
      ? `the method of ${name} passes other params than src/contract declares`
      : `${name} has no route in src/emulator/service/, or it validates other params than src/contract declares`
  const unaccepted = ['endpoint_not_found', 'validation_error', 'invalid_params', 'invalid_response']
  expect(unaccepted, note).not.toContain(code)
})

it.each(declared)('a fault of the emulator matches $operation by its name', ({ operation }) => {
  const { faults } = createEmulator()
  const note = `${operation} has no route in the emulator: serve it in the file of its resource in src/emulator/service/`

  expect(() => faults.add({ match: operation as FaultOperation, status: 500 }), note).not.toThrow()
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
  const page = 'docs/guides/standalone-checks.md'
  const codes = [...new Set(checkEndpoints.flatMap(documentedCodes))]
  const rows = codes.map((code) => {
    const checks = checkEndpoints.filter((check) => documentedCodes(check).includes(code))
    const names = checks.map(({ operation }) => operation.replace('checks.', ''))
    const givenBy = checks.length === checkEndpoints.length ? 'every check' : names.join(', ')
    return [code, errorCatalog()[code].statuses.join(', '), givenBy]
  })

  const listed = columnOf(page, 'Error codes').map((code, row) => [
    code,
    columnOf(page, 'Error codes', 1)[row],
    columnOf(page, 'Error codes', 2)[row],
  ])

  expect(listed.sort()).toEqual(rows.sort())
})

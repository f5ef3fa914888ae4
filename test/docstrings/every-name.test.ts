import { expect, it } from 'vitest'
import { documented } from '../../src/contract/documented.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { type PublicDocstring, publicDocstrings } from '../support/public-docstrings.ts'

const all = publicDocstrings()
const endpoints = [...verificationEndpoints, ...organizationEndpoints, ...oidcEndpoints, ...legacyEndpoints]
const names = new Set(all.map(({ name }) => name))
const callable = all.filter(({ kind }) => kind === 'function' || kind === 'method')

const namesOf = (docstrings: readonly PublicDocstring[]) => docstrings.map(({ name }) => name)
const belongsTo = (owners: readonly string[], name: string) =>
  owners.some((owner) => name === owner || name.startsWith(`${owner}.`))

/** Callers hand these in, or call them as what they stand in for: a logger, a driver, a promise. */
const notOurs = [
  'Logger',
  'NodeRedisClient',
  'IoRedisClient',
  'PostgresPool',
  'ApiPromise.then',
  'ApiPromise.catch',
  'ApiPromise.finally',
]

/** Of these the contract says nothing. */
const beyondTheContract = [
  ...notOurs,
  ...['SdkError', 'isSdkError', 'Store', 'memoryStore', 'redisStore', 'postgresStore', 'postgresStoreSql'],
  ...['OidcClient.close', 'OrgClient.close', 'VerificationClient.close', 'EmulatorServer'],
  ...['Emulator.at', 'Emulator.clock.now', 'Emulator.reset', 'Emulator.listen'],
  ...['Emulator.webhooks.faults.clear', 'Emulator.checks.clear', 'Emulator.faults.clear'],
]

it('every public name says what it is', () => {
  // What an error class says of `name` and `code`, its root has said.
  const silent = all.filter(({ name, summary }) => summary === '' && !/Error\.(?:name|code)$/.test(name))

  expect(all.length).toBeGreaterThan(900)
  expect(namesOf(silent)).toEqual([])
})

it('every function and method has an example', () => {
  const without = callable.filter(
    ({ name, tags }) => tags('example').length === 0 && !belongsTo(notOurs, name),
  )

  expect(callable.length).toBeGreaterThan(100)
  expect(namesOf(without)).toEqual([])
})

it('every function and method says which section of the contract it stands on', () => {
  const without = callable.filter(
    ({ name, tags }) =>
      !tags('see').some((see) => /^service contract, (?:sections? \d|all)/.test(see)) &&
      !belongsTo(beyondTheContract, name),
  )
  expect(namesOf(without)).toEqual([])
})

it.each(endpoints.filter(({ operation }) => !isServedOnly(operation)))(
  'the method of $operation names the section in which the contract has it',
  (endpoint) => {
    const { section = 'none' } = documented.get(endpoint.operation) ?? {}
    const method = all.find(({ name }) => nameOfMethod(endpoint.operation) === name.toLowerCase())

    expect(method?.tags('see').join()).toMatch(new RegExp(`\\b${section.replace('.', '\\.')}\\b`))
  },
)

/** What a browser asks for, and keys that are fetched when they are needed: no method of ours. */
function isServedOnly(operation: string): boolean {
  return operation === 'oidc.authorize' || operation === 'oidc.jwks'
}

/** `oidc.legacy.refresh` is `Legacy.refresh`, and `oidc.refresh` is `OidcClient.refresh`. */
function nameOfMethod(operation: string): string {
  const [owner, method] = operation.split('.').slice(-2)
  return `${owner === 'oidc' ? 'oidcclient' : owner}.${method}`.toLowerCase()
}

it.each([
  ['Ms', /millisecond/],
  ['Seconds', /second/],
  ['Bytes', /byte/],
])('a name that ends in %s tells its unit in words too', (ending, unit) => {
  const measured = all.filter(({ name }) => name.endsWith(ending))

  expect(measured).not.toEqual([])
  expect(namesOf(measured.filter(({ summary }) => !unit.test(summary)))).toEqual([])
})

it('every option that may be left out tells what happens then', () => {
  const options = all.filter(({ name, isOptional }) => isOptional && /Options\./.test(name))
  // Without a listener nobody hears, and without a signal nothing is aborted.
  const untold = options.filter(
    ({ name, tags }) => tags('default').length === 0 && !/\.(?:on[A-Z]\w+|signal)$/.test(name),
  )

  expect(options.length).toBeGreaterThan(60)
  expect(namesOf(untold)).toEqual([])
})

it('what a docstring says is thrown is an error that callers can import', () => {
  const thrown = all.flatMap(({ name, tags }) =>
    tags('throws').flatMap((text) => {
      const classes = /^\{([^}]+)\}/.exec(text)?.[1]?.split(' | ') ?? ['nothing']
      return classes.map((error) => ({ name, error }))
    }),
  )

  expect(thrown.length).toBeGreaterThan(80)
  expect(thrown.filter(({ error }) => !names.has(error))).toEqual([])
})

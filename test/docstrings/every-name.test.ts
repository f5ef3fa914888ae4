// A name in lower case: cspell:ignore oidcclient

import { expect, it } from 'vitest'
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

/** Interfaces of other software: a logger, the drivers of stores, a promise. */
const foreign = [
  'Logger',
  'NodeRedisClient',
  'IoRedisClient',
  'PostgresPool',
  'PostgresInboxPool',
  'ApiPromise.then',
  'ApiPromise.catch',
  'ApiPromise.finally',
]

/** Names about which the contract says nothing. */
const outsideTheContract = [
  ...foreign,
  ...[
    'SdkError',
    'isSdkError',
    'Store',
    'StoreLists',
    'memoryStore',
    'redisStore',
    'postgresStore',
    'postgresStoreSql',
  ],
  ...['testStore', 'StoreCheck', 'postgresInbox', 'postgresInboxSql'],
  ...['OidcClient.close', 'OrgClient.close', 'VerificationClient.close', 'EmulatorServer'],
  ...[
    'Emulator.at',
    'Emulator.mount',
    'Emulator.clock.now',
    'Emulator.reset',
    'Emulator.listen',
    'Emulator.snapshot',
    'Emulator.restore',
  ],
  ...['Emulator.webhooks.faults.clear', 'Emulator.checks.clear', 'Emulator.faults.clear'],
]

it('describes every public name', () => {
  // `name`, `code` and `status` of an error class are described by its base class, and an option that excludes another one
  // by that other option.
  const elsewhere = /Error\.(?:name|code|status)$|^(?:FetchOption\.dispatcher|DispatcherOption\.fetch)$/
  const undocumented = all.filter(({ name, summary }) => summary === '' && !elsewhere.test(name))

  expect(all.length).toBeGreaterThan(900)
  expect(namesOf(undocumented)).toEqual([])
})

it('has an example for every function and method', () => {
  const without = callable.filter(
    ({ name, tags }) => tags('example').length === 0 && !belongsTo(foreign, name),
  )

  expect(callable.length).toBeGreaterThan(100)
  expect(namesOf(without)).toEqual([])
})

it('names a section of the contract for every function and method', () => {
  const without = callable.filter(
    ({ name, tags }) =>
      !tags('see').some((see) => /^service contract, (?:sections? \d|all)/.test(see)) &&
      !belongsTo(outsideTheContract, name),
  )
  expect(namesOf(without)).toEqual([])
})

/** Operations without a method: a browser opens the first, and the client fetches keys when it needs them. */
const withoutMethod = ['oidc.authorize', 'oidc.jwks']

it.each(endpoints.filter(({ operation }) => !withoutMethod.includes(operation)))(
  'names section $section of the contract for the method of $operation',
  ({ operation, section }) => {
    const method = all.find(({ name }) => methodOf(operation) === name.toLowerCase())

    expect(method?.tags('see').join()).toMatch(new RegExp(`\\b${section.replace('.', '\\.')}\\b`))
  },
)

/** `oidc.legacy.refresh` is `Legacy.refresh`, and `oidc.refresh` is `OidcClient.refresh`. */
function methodOf(operation: string): string {
  const [owner, method] = operation.split('.').slice(-2)
  return `${owner === 'oidc' ? 'oidcclient' : owner}.${method}`.toLowerCase()
}

it.each([
  ['Ms', /millisecond/],
  ['Seconds', /second/],
  ['Bytes', /byte/],
])('states the unit of every name that ends in %s', (ending, unit) => {
  const measured = all.filter(({ name }) => name.endsWith(ending))

  expect(measured).not.toEqual([])
  expect(namesOf(measured.filter(({ summary }) => !unit.test(summary)))).toEqual([])
})

it('states the default of every optional option, except callbacks and signals', () => {
  const options = all.filter(({ name, isOptional }) => isOptional && /Options\./.test(name))
  const without = options.filter(
    ({ name, tags }) => tags('default').length === 0 && !/\.(?:on[A-Z]\w+|signal)$/.test(name),
  )

  expect(options.length).toBeGreaterThan(60)
  expect(namesOf(without)).toEqual([])
})

it('lists only errors that callers can import as thrown', () => {
  const thrown = all.flatMap(({ name, tags }) =>
    tags('throws').flatMap((text) => {
      const classes = /^\{([^}]+)\}/.exec(text)?.[1]?.split(' | ') ?? ['nothing']
      return classes.map((error) => ({ name, error }))
    }),
  )

  expect(thrown.length).toBeGreaterThan(80)
  expect(thrown.filter(({ error }) => !names.has(error))).toEqual([])
})

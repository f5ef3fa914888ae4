// A name in lower case: cspell:ignore oidcclient

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { readDocument } from '../openapi/read-document.ts'
import { readPage } from '../support/markdown.ts'
import { type PublicDocstring, publicDocstrings } from '../support/public-docstrings.ts'

const all = publicDocstrings()
const { operations } = readDocument()
const endpoints = [...verificationEndpoints, ...organizationEndpoints, ...oidcEndpoints, ...legacyEndpoints]
const names = new Set(all.map(({ name }) => name))
const callable = all.filter(({ kind }) => kind === 'function' || kind === 'method')

const namesOf = (docstrings: readonly PublicDocstring[]) => docstrings.map(({ name }) => name)
const belongsTo = (owners: readonly string[], name: string) =>
  owners.some((owner) => name === owner || name.startsWith(`${owner}.`))

/** Interfaces of other software, such as a logger, drivers of stores or a promise, and of a database that a caller tests. */
const foreign = [
  'Logger',
  'NodeRedisClient',
  'IoRedisClient',
  'PostgresPool',
  'PostgresInboxPool',
  'InboxTestDatabase',
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
  ...['testStore', 'testInbox', 'StoreCheck', 'postgresInbox', 'postgresInboxSql'],
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

/** The pages of the documentation that a docstring names, with their anchors. */
const pagesOf = ({ tags }: PublicDocstring) =>
  tags('see').flatMap((see) => see.match(/docs\/[\w/-]+\.md(?:#[\w-]+)?/g) ?? [])

it('leads from every function and method to a page of the documentation', () => {
  const without = callable.filter(
    (one) => pagesOf(one).length === 0 && !belongsTo(outsideTheContract, one.name),
  )

  expect(namesOf(without)).toEqual([])
})

it.each([...new Set(all.flatMap(pagesOf))])('the page that docstrings name exists: %s', (link) => {
  const [path = '', anchor] = link.split('#')
  const { headings } = readPage(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))

  if (anchor !== undefined) expect(headings.map((heading) => heading.anchor)).toContain(anchor)
})

/** Operations without a method: a browser opens the first, and the client fetches keys when it needs them. */
const withoutMethod = ['oidc.authorize', 'oidc.jwks']

it.each(endpoints.filter(({ operation }) => !withoutMethod.includes(operation)))(
  'the docstring of $operation leads to its operation of the HTTP reference',
  ({ operation, method, path }) => {
    const docstring = all.find(({ name }) => methodOf(operation) === name.toLowerCase())
    const summary = operations.find((one) => one.method === method && one.path === path)?.summary ?? ''

    expect(docstring && pagesOf(docstring).join()).toMatch(
      new RegExp(`^docs/http-reference/\\S+\\.md#${summary.toLowerCase().replaceAll(' ', '-')}$`),
    )
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

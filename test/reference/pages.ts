import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { table } from '../../bench/table.js'
import type { Endpoint, Replay } from '../../src/contract/endpoint.ts'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import {
  checkStatuses,
  checkTypes,
  memberRoles,
  memberStatuses,
  scopes,
  sessionStatuses,
  webhookEventTypes,
} from '../../src/index.ts'
import { readDocument } from '../openapi/read-document.ts'
import { codesOfNoOperation } from '../support/operations.ts'
import { readDeclarations } from './declarations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const endpoints = new Map<string, Endpoint>(
  [...verificationEndpoints, ...oidcEndpoints, ...legacyEndpoints, ...organizationEndpoints].map((one) => [
    one.operation,
    one,
  ]),
)

const { operations } = readDocument()

/** Formats a page as the linter wants it. */
const formatted = (text: string) =>
  execFileSync(`${root}node_modules/.bin/biome`, ['format', '--stdin-file-path=page.md'], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })

/** Returns the generated pages of the reference, by the path of their file. */
export function referencePages(): ReadonlyMap<string, string> {
  const pages = {
    methods: methodsPage(),
    options: optionsPage(),
    'error-codes': errorCodesPage(),
  }
  return new Map(
    Object.entries(pages).map(([name, text]) => [`${root}docs/reference/${name}.md`, formatted(`${note}\n\n${text}`)]),
  )
}

const note =
  '<!-- Generated from the sources: `npx vitest run --config test/vitest.outside.config.ts test/reference --update`. -->'

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()

const membersOf = readDeclarations()

const replays: Readonly<Record<Replay, string>> = {
  safe: 'always',
  'with-key': 'with the key',
  'if-not-executed': 'if not executed',
  never: 'if not sent',
}

/** The resources of the clients, with the type that describes each. */
const resources = [
  ['VerificationClient', '', 'VerificationClient'],
  ['client.sessions', 'sessions', 'Sessions'],
  ['client.checks', 'checks', 'Checks'],
  ['client.credentials', 'credentials', 'Credentials'],
  ['client.experimental.workflows', 'experimental.workflows', 'Workflows'],
  ['client.experimental.antispoof', 'experimental.antispoof', 'Antispoof'],
  ['client.experimental.faceUniqueness', 'experimental.faceUniqueness', 'FaceUniqueness'],
  ['OidcClient', 'oidc', 'OidcClient'],
  ['oidc.legacy', 'oidc.legacy', 'Legacy'],
  ['OrgClient', '', 'OrgClient'],
  ['org.members', 'members', 'Members'],
  ['org.billing', 'billing', 'Billing'],
  ['VerificationManager', '', 'VerificationManager'],
  ['TokenManager', '', 'TokenManager'],
] as const

function methodsPage(): string {
  const parts = resources.map(([heading, prefix, type]) => {
    const methods = membersOf(type).filter(({ isFunction }) => isFunction)
    const rows = methods.map(({ name, summary }) => {
      const operation = prefix === '' ? name : `${prefix}.${name}`
      const endpoint = endpoints.get(operation)
      return [`\`${name}\``, endpoint ? requestOf(endpoint) : '', ...factsOf(endpoint), cell(summary)]
    })
    const titles = ['Method', 'Request', 'Billed', 'Retried', 'Description']
    // A column without a value in any row is left out.
    const columns = titles.map((_, index) => index).filter((index) => rows.some((row) => row[index] !== ''))
    const pick = (cells: readonly string[]) => columns.map((index) => String(cells[index]))
    return `## ${heading}\n\n${table(pick(titles), rows.map(pick))}`
  })
  return `# Methods

Look up a method of the clients and managers, the request that it sends, and the values of the contract. Params, results and
examples are in the docstrings, which your editor shows.

- **Billed**: each call is charged, and carries an \`Idempotency-Key\`, which all of its attempts share.
- **Retried**: when the client sends the request again by itself. \`if not executed\` means only if the failure shows that
  the service did nothing ([Retries and money](../guides/retries-and-money.md)).
- A method without a request calls others, or sends nothing.

${parts.join('\n\n')}

## Values of the contract

The service may send other values, and the types let them pass ([open values](../guides/typescript.md#open-values)).

${table(
  ['Exported as', 'Values'],
  Object.entries(lists).map(([name, values]) => [`\`${name}\``, values.map((value) => `\`${value}\``).join(', ')]),
)}
`
}

const lists: Readonly<Record<string, readonly string[]>> = {
  sessionStatuses,
  checkTypes,
  checkStatuses,
  webhookEventTypes,
  scopes,
  memberStatuses,
  memberRoles,
}

function requestOf({ method, path }: Endpoint): string {
  return `\`${method} ${path}\``
}

const factsOf = (endpoint: Endpoint | undefined) =>
  endpoint === undefined ? ['', ''] : [endpoint.billable ? 'yes' : '', replays[endpoint.replay]]

/** The types of options, with what takes them, and the type whose options they have too. */
const optionTypes = [
  ['ClientOptions', 'every client', ''],
  ['VerificationClientOptions', '`new VerificationClient(options)`', 'ClientOptions'],
  ['OidcClientOptions', '`new OidcClient(options)`', 'ClientOptions'],
  ['OrgClientOptions', '`new OrgClient(options)`', 'ClientOptions'],
  ['RequestOptions', 'every call, as the last argument', ''],
  ['ImageRequestOptions', 'checks with images', 'RequestOptions'],
  ['WaitOptions', '`client.sessions.waitForDecision(id, options)`', 'RequestOptions'],
  ['VerificationManagerOptions', '`createVerificationManager(options)`', ''],
  ['EventProcessorOptions', '`createEventProcessor(options)`', ''],
  [
    'WebhookHandlerOptions',
    '`createWebhookHandler(options)`, `expressWebhook` and `fastifyWebhook`',
    'EventProcessorOptions',
  ],
  ['SignInHandlerOptions', '`createSignInHandler(options)` and `expressSignIn`', ''],
  ['TokenManagerOptions', '`createTokenManager(options)`', ''],
  ['ValidateIdTokenOptions', '`validateIdToken(token, options)`', ''],
  ['JwksOptions', '`jwks` of an `OidcClient`', ''],
  ['MemoryStoreOptions', '`memoryStore(options)`', ''],
  ['RedisStoreOptions', '`redisStore(client, options)`', ''],
  ['PostgresStoreOptions', '`postgresStore(pool, options)`', ''],
  ['EmulatorOptions', '`createEmulator(options)`', ''],
  ['ListenOptions', '`emulator.listen(options)`', ''],
] as const

function optionsPage(): string {
  /** The type that lists an option first, by the text of the option. */
  const listed = new Map<string, string>()
  const parts = optionTypes.map(([type, use, base]) => {
    const inherited = base === '' ? [] : membersOf(base).map(({ name }) => name)
    const items = membersOf(type)
      .filter(({ name }) => !inherited.includes(name))
      .map(({ name, summary, default: value }) => {
        const item = `- **\`${name}\`**${value === '' ? '' : ` (default: ${value})`}: ${summary}`
        const first = listed.get(item)
        if (first === undefined) listed.set(item, type)
        return first === undefined ? item : `- **\`${name}\`**: as in [${first}](#${first.toLowerCase()}).`
      })
    const rest = base === '' ? '' : ` It has the options of [${base}](#${base.toLowerCase()}) too.`
    return `## ${type}\n\nFor ${use}.${rest}\n\n${items.join('\n')}`
  })
  return `# Options

Look up an option and its default. Names end in their unit: \`timeoutMs\`, \`toleranceSeconds\`. The docstring of an option,
which your editor shows, gives its bounds and its errors.

${parts.join('\n\n')}
`
}

const actors = { caller: 'your code', end_user: 'the person', operator: 'the account', wait: 'no one' }
const retries = { never: 'no retry', after_change: 'after a change', later: 'later' }

/**
 * The codes that an operation of the document names, and those that the contract lists without an operation but a
 * backend meets.
 */
function codesOfOperations(): ReadonlySet<string> {
  const named = operations.flatMap(({ responses }) => JSON.stringify(responses).match(/[a-z]+(?:_[a-z]+)*/g) ?? [])
  return new Set([...named, ...codesOfNoOperation].filter((code) => Object.hasOwn(errorCatalog(), code)))
}

function errorCodesPage(): string {
  const met = codesOfOperations()
  const rows = Object.entries(errorCatalog())
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { statuses, meaning, advice }]) => [
      `\`${code}\``,
      statuses.join(', '),
      meaning,
      `${actors[advice.actor]}, ${retries[advice.retry]}`,
    ])
  const isMet = ([code = '']: readonly string[]) => met.has(code.replaceAll('`', ''))
  return `# Error codes

Look up the \`code\` of an \`ApiError\`. \`npx identity-service-sdk explain CODE\` prints a row of this page, and
\`describeErrorCode\` returns it. The advice is who can act, and whether to retry. [Errors](errors.md) describes the classes.

## Codes that a backend meets

${table(['Code', 'Status', 'Meaning', 'Advice'], rows.filter(isMet))}

## Other codes of the service

The contract lists these without an operation that returns them. Most belong to the hosted pages. \`explain\` prints what they
mean.

${rows
  .filter((row) => !isMet(row))
  .map(([code]) => code)
  .join(', ')}
`
}

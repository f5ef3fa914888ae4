// A heading in lower case: cspell:ignore webhookevent

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { table } from '../../bench/table.js'
import { webhookEventStatuses, webhookEventTypes } from '../../src/contract/webhooks/events.ts'
import { readEmulatorOptions } from '../../src/emulator/options/options.ts'
import { createService } from '../../src/emulator/server/service.ts'
import { ServiceState } from '../../src/emulator/state/service-state.ts'
import { sessionEndNames } from '../../src/emulator/state/sessions/sessions.ts'
import { SigningKeys } from '../../src/emulator/state/signing-keys.ts'
import { type DocumentOperation, type Media, type ParameterObject, readDocument } from './read-document.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The pages of operations: the file, the title and the tags that they describe. */
const operationPages = [
  ['sessions', 'Sessions over HTTP', ['sessions']],
  ['checks', 'Checks over HTTP', ['checks']],
  ['credentials', 'Credential discovery over HTTP', ['credentials']],
  ['sign-in', 'Sign-in over HTTP', ['oidc', 'oidc.legacy']],
  ['members', 'Roster and billing over HTTP', ['members', 'billing']],
  [
    'experimental',
    'Unconfirmed operations over HTTP',
    ['experimental.workflows', 'experimental.antispoof', 'experimental.faceUniqueness'],
  ],
] as const

const note = '<!-- Generated from the OpenAPI document: `npx vitest run test/openapi --update`. -->'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly contentMediaType?: string
}

const { document, operations, resolve } = readDocument()

/** Returns the generated pages, by the path of their file. */
export function httpReference(): ReadonlyMap<string, string> {
  const pages: [string, string][] = [
    ['README', indexPage()],
    ...operationPages.map(([file, title, tags]): [string, string] => [file, operationsPage(title, tags)]),
    ['webhooks', webhooksPage()],
    ['schemas', schemasPage()],
    ['emulator', emulatorPage()],
  ]
  return new Map(pages.map(([file, text]) => [`${root}docs/http-reference/${file}.md`, formatted(text)]))
}

/** Formats a page as the linter wants it. */
export const formatted = (text: string) =>
  execFileSync(`${root}node_modules/.bin/biome`, ['format', '--stdin-file-path=page.md'], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })

const anchorOf = (heading: string) => heading.toLowerCase().replaceAll(' ', '-')

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function indexPage(): string {
  const parts = operationPages.map(([file, title, tags]) => {
    const rows = operations
      .filter((one) => tags.some((tag) => one.tags.includes(tag)))
      .map((one) => [
        `[${one.summary}](${file}.md#${anchorOf(one.summary)})`,
        `\`${one.method} ${one.path}\``,
        `\`${one['x-operations']?.join('`, `') ?? one.operationId}\``,
      ])
    return `## ${title.replace(' over HTTP', '')}\n\n${table(['Operation', 'Request', 'Method of the client'], rows)}`
  })
  return `${note}

# HTTP reference

Every operation of the service contract, for programs in any language. The clients of this package send these requests
for you. [The webhooks](webhooks.md) and [the schemas](schemas.md) have pages of their own, and so does
[what the emulator serves](emulator.md).

The pages are generated from an OpenAPI 3.1 document, which you can pass to other tools:

- The package has it as \`identity-service-sdk/openapi.json\`.
- \`npx identity-service-sdk openapi\` prints it.
- The emulator serves it at \`/_emulator/openapi.json\`, with its own address.

\`\`\`sh
npx identity-service-sdk openapi > openapi.json
\`\`\`

The document contains what the service contract states, and nothing else. \`x-unconfirmed: true\` marks operations whose
paths or shapes the contract does not confirm. \`deprecated\` marks those that the service has removed. \`x-billable\` marks
those that are charged. A section, such as in "(contract, section 4.1)", is a place in the service contract. You do not
need it, but the operator of the service finds it faster by its number.

## Hosts and credentials

The contract has placeholders for the addresses. The examples read them from \`SVC_BASE_URL\`, and for the organization
API from \`SVC_ORG_BASE_URL\`.

${table(
  ['Operations', 'Credentials'],
  [
    ['verification API', '`X-API-Key`, or the API key as a bearer token'],
    ['token endpoint', '`client_id` and `client_secret` in the body'],
    ['organization API', '`X-Client-Id` and `X-Client-Secret`'],
  ],
)}

## Responses

The verification API and the organization API return an envelope: \`success\`, \`data\` and \`error\`. In an error, \`success\`
is \`false\`, and \`error\` has a \`code\` and a \`message\`. If validation fails, the organization API lists the fields in
\`data.errors\`. The token endpoint returns the tokens without an envelope. Every response has the header \`X-Request-Id\`.

The tables of errors list the codes that the contract names for an operation. [Errors](../reference/errors.md) describes
every code.

${parts.join('\n\n')}
`
}

function operationsPage(title: string, tags: readonly string[]): string {
  const parts = operations.filter((one) => tags.some((tag) => one.tags.includes(tag))).map(operationPart)
  return `${note}\n\n# ${title}\n\nPart of the [HTTP reference](README.md).\n\n${parts.join('\n\n')}\n`
}

function operationPart(operation: DocumentOperation): string {
  const { method, path, summary, description, parameters = [], requestBody, responses } = operation
  const [status = '200', success] = Object.entries(responses)[0] ?? []
  const marks = [
    operation['x-unconfirmed'] && 'unconfirmed',
    operation.deprecated && 'removed',
    operation['x-billable'] && 'billable',
  ].filter(Boolean)
  const content = resolve(success ?? {}).content?.['application/json']
  return [
    `## ${summary}`,
    `\`${method} ${path}\`${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`,
    description,
    parameters.length > 0 && parametersTable(parameters.map(resolve)),
    ...bodyParts(requestBody?.content ?? {}),
    `Response ${status}: ${payloadText(content?.schema)}.`,
    errorsTable(responses),
    `\`\`\`sh\n${curl(operation)}\n\`\`\``,
    content?.example !== undefined && jsonBlock(content.example),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const jsonBlock = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const parametersTable = (parameters: readonly ParameterObject[]) =>
  table(
    ['Parameter', 'In', 'Type', 'Description'],
    parameters.map(({ name, in: place, required, schema, description = '' }) => [
      `\`${name}\`${required ? '' : ' (optional)'}`,
      place,
      typeText(schema),
      cell(description),
    ]),
  )

function bodyParts(content: Readonly<Record<string, Media>>): string[] {
  const schema: Schema | undefined = content['application/json']?.schema
  if (schema === undefined) return []
  const types = Object.keys(content).join('` or `')
  const shapes = schema.oneOf ?? [schema]
  const tables = shapes.flatMap((one) => {
    const shape: Schema = resolve(one)
    return shape.properties ? [fieldsTable(shape)] : []
  })
  return [
    `Body, as \`${types}\`${tables.length > 1 ? ', one of:' : tables.length === 0 ? '. The contract does not give its fields.' : ':'}`,
    ...tables,
  ]
}

/** Lists the fields of an object. One of several spellings or of several fields may be required. */
function fieldsTable({ properties = {}, required = [], allOf = [], anyOf = [] }: Schema): string {
  const alternatives = [...allOf.flatMap(({ anyOf: some = [] }) => [some]), anyOf].map((some) =>
    some.flatMap((one) => one.required ?? []),
  )
  const need = (name: string) => {
    if (required.includes(name)) return 'yes'
    const others = alternatives.find((names) => names.includes(name))?.filter((one) => one !== name)
    return others ? `or \`${others.join('`, `')}\`` : ''
  }
  return table(
    ['Field', 'Type', 'Required', 'Description'],
    Object.entries(properties).map(([name, property]) => [
      `\`${name}\``,
      typeText(property),
      need(name),
      cell(describedDefault(property)),
    ]),
  )
}

const describedDefault = ({ description = '', default: fallback }: Schema) =>
  fallback === undefined ? description : `${description} Defaults to \`${JSON.stringify(fallback)}\`.`

/** Describes the type of a value, with links to the schemas. */
function typeText(schema: Schema): string {
  const { $ref, type, items, additionalProperties, properties } = schema
  const name = $ref?.split('/').at(-1)
  if (name !== undefined) return `[${name}](schemas.md#${name.toLowerCase()})`
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')
  const members = schema.anyOf ?? schema.oneOf
  if (members && !properties) return members.map((one) => typeText(one)).join(' or ')
  if (items) return `array of ${typeText(items)}`
  if (additionalProperties) return `map of ${typeText(additionalProperties)}`
  if (schema.contentMediaType) return 'file'
  if (type === undefined) return 'not documented'
  return [type].flat().join(' or ')
}

/** Describes the payload of a success. */
function payloadText(schema: Schema | undefined): string {
  if (schema === undefined) return 'a page for the browser'
  const { properties } = schema
  if (properties?.data === undefined) return typeText(schema)
  const { data } = properties
  if (data.properties === undefined) return `\`data\` is ${data.items ? 'an ' : ''}${typeText(data)}`
  const members = Object.entries(data.properties)
  return members
    .map(([name, one]) => `\`data.${name}\` is ${one.items ? 'an ' : ''}${typeText(one)}`)
    .join(', ')
}

function errorsTable(responses: DocumentOperation['responses']): string {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    if (!/^[45]\d\d$/.test(status)) return []
    const { description = '' } = resolve(response)
    const codes = [...description.matchAll(/^- (`\w+`): (.+)$/gm)].map(([, code = '', meaning = '']) => [
      status,
      code,
      cell(meaning),
    ])
    return codes.length > 0 ? codes : [[status, '', cell(description)]]
  })
  return rows.length === 0 ? '' : table(['Status', 'Code', 'Meaning'], rows)
}

/** The credentials of an operation, as options of curl. */
function credentialsOf({ security = [], tags }: DocumentOperation): string[] {
  const [first = {}] = security
  if ('apiKey' in first) return ['-H "X-API-Key: $SVC_API_KEY"']
  if ('organizationClientId' in first)
    return ['-H "X-Client-Id: $SVC_CLIENT_ID"', '-H "X-Client-Secret: $SVC_CLIENT_SECRET"']
  return 'accessToken' in first && tags.length > 0 ? ['-H "Authorization: Bearer ACCESS_TOKEN"'] : []
}

function curl(operation: DocumentOperation): string {
  const { method, path, parameters = [], requestBody } = operation
  const values = parameters.map(resolve)
  const filled = values.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  const query = values.filter((one) => one.in === 'query' && one.example !== undefined)
  const search = new URLSearchParams(
    query.map(({ name, example }): [string, string] => [name, String(example)]),
  ).toString()
  const host = document.paths[path]?.servers ? 'SVC_ORG_BASE_URL' : 'SVC_BASE_URL'
  const url = `"$${host}${filled}${search === '' ? '' : `?${search}`}"`
  const key = values.find((one) => one.in === 'header')
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...credentialsOf(operation),
    ...(key ? [`-H '${key.name}: ${key.example}'`] : []),
    ...bodyOptions(requestBody?.content),
  ]
  return [`curl ${url}`, ...options].join(' \\\n  ')
}

function bodyOptions(content: Readonly<Record<string, Media>> | undefined): string[] {
  if (content === undefined) return []
  const { example, examples = {} } = content['application/json'] ?? {}
  const body = example ?? Object.values(examples)[0]?.value
  const form: Schema | undefined = content['multipart/form-data']?.schema
  if (form?.properties === undefined || body === undefined)
    return body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]
  const { properties } = form
  return Object.entries(body as Record<string, unknown>).map(([name, value]) =>
    properties[name]?.contentMediaType ? `-F ${name}=@${name}.jpg` : `-F '${name}=${value}'`,
  )
}

function webhooksPage(): string {
  const posts = Object.values(document.webhooks).map(({ post }) => post)
  const [first] = posts
  const rows = posts.map(({ operationId, summary }) => [`\`${operationId}\``, cell(summary)])
  return `${note}

# Webhooks over HTTP

Part of the [HTTP reference](README.md). The service sends a POST to the \`callback\` of a session
(service contract, section 6). Return 200 to accept the event, and 400 if the signature is invalid.
[Webhooks](../guides/webhooks.md) describes how to handle them with this package.

${table(['Type', 'When'], rows)}

${parametersTable(first?.parameters ?? [])}

The body is a [WebhookEvent](schemas.md#webhookevent):

${jsonBlock(first?.requestBody?.content['application/json']?.example)}
`
}

/** Lists the operations of the document with what the routes of the emulator make of each. */
function emulatorPage(): string {
  const { served } = createService(new ServiceState(readEmulatorOptions({}), new SigningKeys()))
  const answers = ({ deprecated, 'x-unconfirmed': unconfirmed }: DocumentOperation) => {
    if (deprecated) return '410 `endpoint_removed`'
    return unconfirmed ? 'with shapes of its own' : 'yes'
  }
  const rows = operations.map((operation) => {
    const { method, path, operationId, 'x-operations': names = [operationId] } = operation
    const isServed = names.every((name) => served.some((endpoint) => endpoint.operation === name))
    return [names.join(', '), `\`${method} ${path}\``, isServed ? answers(operation) : 'no']
  })
  const webhooks = webhookEventTypes.map((type) => {
    const isSent = sessionEndNames.some((status) => status === webhookEventStatuses[type])
    return [type, 'webhook', isSent ? 'yes' : 'no']
  })
  return `${note}

# What the emulator serves

The operations and webhooks of the [HTTP reference](README.md), as the routes of [the emulator](../guides/emulator.md) serve
them. Where the contract is silent, the emulator makes [a choice](../reference/emulator-behavior.md#undocumented-behavior).

${table(
  ['Operation', 'Request', 'Served'],
  [...rows, ...webhooks].map(([name = '', request = '', answer = '']) => [`\`${name}\``, request, answer]),
)}
`
}

function schemasPage(): string {
  const parts = Object.entries(document.components.schemas).map(([name, schema]) => schemaPart(name, schema))
  return `${note}

# Schemas of the HTTP reference

Part of the [HTTP reference](README.md). Objects may have more fields. A field that is not required may be absent or
\`null\`. The contract does not give the type of a field whose type is "not documented".

${parts.join('\n\n')}
`
}

function schemaPart(name: string, schema: Schema): string {
  const { description = '', properties, oneOf } = schema
  const values = schema.enum?.map((value) => `\`${value}\``).join(', ')
  return [
    `## ${name}`,
    description,
    values && `Values: ${values}.`,
    oneOf && `One of: ${oneOf.map((one) => typeText(one)).join(', ')}.`,
    properties && fieldsTable(schema),
  ]
    .filter(Boolean)
    .join('\n\n')
}

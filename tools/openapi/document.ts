import type { Endpoint } from '../../src/contract/endpoint.ts'
import type { Operations } from '../../src/contract/operations.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { apiVersion, idempotencyHeader, interfacePaths } from '../../src/contract/service.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { authorize, exchangeCode, oidcEndpoints, refreshTokens } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { Components } from './components.ts'
import { type JsonSchema, mapValues } from './json-schema.ts'
import { headerName, tagOf } from './names.ts'
import { type OperationText, operationTexts } from './operations.ts'
import { ErrorResponses, responseHeaders, successExample, successSchema } from './responses.ts'
import { securityOf, securitySchemes } from './security.ts'
import { webhooksOf } from './webhooks.ts'

/** Every operation of the contract. */
const endpoints: readonly Endpoint[] = [
  ...verificationEndpoints,
  ...oidcEndpoints,
  ...legacyEndpoints,
  ...organizationEndpoints,
]

const tags: Readonly<Record<string, string>> = {
  sessions: 'Hosted verification sessions and their decisions.',
  checks: 'Standalone checks. Each call is billed.',
  credentials: 'Jurisdictions and license providers, which a license check needs.',
  'experimental.workflows': 'Workflows. The paths are not confirmed.',
  'experimental.antispoof': 'Spoof detection. The contract gives only the paths.',
  'experimental.faceUniqueness': 'Face uniqueness. The contract gives only the paths.',
  oidc: 'OpenID Connect sign-in.',
  'oidc.legacy': 'The legacy sign-on, which is removed.',
  members: 'The members of an organization.',
  billing: 'The billing of an organization.',
  webhooks: 'What the service sends to you.',
}

const pathIds: Readonly<Record<string, string>> = {
  id: 'The id of the workflow.',
  state: 'The jurisdiction, two letters, such as `CA`.',
  svc_uuid: 'The uuid of the enrolled face.',
  member_id: 'The `vmem_` id, the email or the `svc_id` of the member.',
}

const placeholders = { baseUrl: 'https://id.example.com', organizationBaseUrl: 'https://console.example.com' }

/** A server whose address readers have to set, because the contract has placeholders only. */
const unknownServer = (name: string, address: string, description: string) => ({
  url: `{${name}}`,
  description,
  variables: { [name]: { default: address, description: 'The contract gives a placeholder only.' } },
})

/** Creates the OpenAPI 3.1 document of the contract, with placeholders as addresses. */
export function createOpenApiDocument(): object {
  const components = new Components()
  const errors = new ErrorResponses(components)
  const servers = [unknownServer('base_url', placeholders.baseUrl, 'The verification and identity host.')]
  const organizationServers = [
    unknownServer('org_base_url', placeholders.organizationBaseUrl, 'The host of the developer console.'),
  ]

  const paths: Record<string, Record<string, unknown>> = {}
  for (const group of groupsOf(endpoints)) {
    const [{ method, path }] = group
    const item = paths[path] ?? (path.startsWith(interfacePaths.organization) ? { servers: organizationServers } : {})
    item[method.toLowerCase()] = operationOf(group, components, errors)
    paths[path] = item
  }
  const webhooks = webhooksOf(components)

  return {
    openapi: '3.1.0',
    info: {
      title: 'Identity verification, sign-in and organization roster',
      version: apiVersion,
      summary: 'Every operation and webhook of the service contract.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers,
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: components.schemas,
      responses: errors.responses,
      parameters: {
        IdempotencyKey: {
          name: headerName(idempotencyHeader),
          in: 'header',
          description: 'The same key with the same body identifies a retry of the same call.',
          schema: { type: 'string' },
          example: '5b0f7c1e-6c1b-4f6e-9d8b-2f6f0f9a3c11',
        },
      },
      headers: {
        RequestId: { description: 'The id of the request.', required: true, schema: { type: 'string' } },
      },
      securitySchemes: securitySchemes(placeholders.baseUrl),
    },
  }
}

const introduction = `This document is generated from the declarations of identity-service-sdk and has its license. It contains what the service contract states.

- Objects may have more fields than are listed. A field that may be absent may also be \`null\`, because the contract does not say how the service leaves a field out. A field without a type is one that the contract does not type. It gives no form for a string without a \`format\` or a list of values: a date, a status or a country.
- \`x-unconfirmed\` marks operations that the contract infers or names by path only.
- Operations that are \`deprecated\` are removed by the service.
- An operation with \`x-billable\` is charged per call.
- \`x-contract-section\` is the place in the service contract, for questions to the service's operator.
- The codes of an error are those that the contract names. The service may send others.`

type Group = readonly [Endpoint, ...Endpoint[]]

/** Returns the endpoints by method and path. Both grants share the token endpoint. */
function groupsOf(all: readonly Endpoint[]): readonly Group[] {
  const groups = new Map<string, [Endpoint, ...Endpoint[]]>()
  for (const endpoint of all) {
    const key = `${endpoint.method} ${endpoint.path}`
    const group = groups.get(key)
    if (group) group.push(endpoint)
    else groups.set(key, [endpoint])
  }
  return [...groups.values()]
}

const textOf = ({ operation }: Endpoint): OperationText => operationTexts[operation as keyof Operations]

/** What the document calls operations that share a method and a path. */
const tokenOperation = {
  operationId: 'oidc.token',
  summary: 'Exchange a code or a refresh token for tokens',
  'x-operations': [exchangeCode.operation, refreshTokens.operation],
}

function operationOf(group: Group, components: Components, errors: ErrorResponses): object {
  const [endpoint] = group
  const { operation, successStatus = 200 } = endpoint
  const { summary } = textOf(endpoint)
  const parameters = parametersOf(endpoint, components)
  return {
    ...(group.length === 1 ? { operationId: operation, summary } : tokenOperation),
    ...descriptionOf(group),
    tags: [tagOf(operation)],
    ...(endpoint.replacedBy !== undefined && { deprecated: true }),
    ...(endpoint.unconfirmed && { 'x-unconfirmed': true }),
    ...(endpoint.billable && { 'x-billable': true }),
    'x-contract-section': endpoint.section,
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && { requestBody: bodyOf(group, components) }),
    responses: {
      ...(operation === authorize.operation ? consentResponses : { [successStatus]: successOf(endpoint, components) }),
      ...errors.of(group),
    },
  }
}

function descriptionOf(group: Group): { readonly description?: string } {
  const [{ unconfirmed, replacedBy }] = group
  const sentences = [
    ...group.map((endpoint) => textOf(endpoint).notes),
    unconfirmed && 'The contract does not confirm this operation.',
    replacedBy !== undefined && 'The service has removed it: migrate to OpenID Connect.',
  ].filter(Boolean)
  return sentences.length > 0 ? { description: sentences.join(' ') } : {}
}

/** The contract gives neither the statuses nor the content of the consent screen. */
const consentResponses = {
  200: { description: 'The consent screen.', headers: responseHeaders, content: { 'text/html': {} } },
  '3XX': {
    description: 'The browser is redirected to `redirect_uri`, with `code` and `state`, or with `error`.',
    headers: {
      ...responseHeaders,
      Location: { description: 'Where the browser goes to.', schema: { type: 'string' } },
    },
  },
}

function successOf(endpoint: Endpoint, components: Components): object {
  const { result, example } = textOf(endpoint)
  const payload = result === undefined ? {} : components.named(endpoint.response, result)
  return {
    description: 'The operation succeeded.',
    headers: responseHeaders,
    content: {
      'application/json': {
        schema: successSchema(endpoint, payload),
        ...(example.data !== undefined && { example: successExample(endpoint, example.data) }),
      },
    },
  }
}

function parametersOf(endpoint: Endpoint, components: Components): readonly object[] {
  const { params = [], example } = textOf(endpoint)
  const ids = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: tagOf(endpoint.operation) === 'sessions' ? 'The `session_id`.' : pathIds[name],
    schema: { type: 'string' },
    example: example.ids?.[name],
  }))
  const { properties = {}, required = [] } = endpoint.query ? components.fields(endpoint.query, params) : {}
  const query = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    ...(example.query?.[name] !== undefined && { example: example.query[name] }),
  }))
  const key = endpoint.replay === 'with-key' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []
  return [...ids, ...query, ...key]
}

function bodyOf(group: Group, components: Components): object {
  const [endpoint, ...others] = group
  const { example } = textOf(endpoint)
  const schema = others.length === 0 ? bodySchema(endpoint, components) : grantsOf(group, components)
  const examples =
    others.length === 0
      ? example.body && { example: example.body }
      : {
          examples: Object.fromEntries(group.map((one) => [one.operation, { value: textOf(one).example.body }])),
        }
  const json = { schema, ...examples }
  const { images = [], unconfirmed } = endpoint
  // The names of images that the contract does not list are those of this package.
  const files = unconfirmed ? [] : images
  return {
    required: true,
    content: {
      'application/json': json,
      ...(images.length > 0 && { 'multipart/form-data': { schema: withFiles(schema, files) } }),
    },
  }
}

function bodySchema(endpoint: Endpoint, components: Components): JsonSchema {
  const { params = [] } = textOf(endpoint)
  const { body, images = [], aliases = {} } = endpoint
  if (body === undefined || endpoint.unconfirmed) return { type: 'object' }
  const schema = withAliases(components.fields(body, params), aliases)
  if (images.length > 0) return withBase64(schema, images)
  const [name, ...others] = params
  if (name === undefined || others.length > 0) return schema
  return components.add(name, () => ({ ...schema, description: components.descriptionOf(name) }))
}

function grantsOf(group: Group, components: Components): JsonSchema {
  return {
    oneOf: group.map((one) => bodySchema(one, components)),
  }
}

/** Adds the other spellings of fields. If a field is required, one of its spellings is required. */
function withAliases(schema: JsonSchema, aliases: Readonly<Record<string, string>>): JsonSchema {
  const names = Object.entries(aliases)
  if (names.length === 0) return schema
  const { properties = {}, required = [], anyOf, ...rest } = schema
  const others = names.map(([alias, name]) => [
    alias,
    { ...properties[name], description: `Another spelling of \`${name}\`.` },
  ])
  return {
    ...rest,
    properties: { ...properties, ...Object.fromEntries(others) },
    required: required.filter((name) => !Object.values(aliases).includes(name)),
    allOf: [
      ...names
        .filter(([, name]) => required.includes(name))
        .map(([alias, name]) => ({ anyOf: [{ required: [name] }, { required: [alias] }] })),
      ...(anyOf ? [{ anyOf }] : []),
    ],
  }
}

const convertImages = (schema: JsonSchema, images: readonly string[], convert: (image: JsonSchema) => JsonSchema) => ({
  ...schema,
  properties: mapValues(schema.properties ?? {}, (property, name) =>
    images.includes(name) ? convert(property) : property,
  ),
})

/** The images of a JSON body. */
const withBase64 = (schema: JsonSchema, images: readonly string[]): JsonSchema =>
  convertImages(schema, images, ({ description, ...image }) => ({
    ...image,
    description: `${description} In base64, or as a data URL.`,
  }))

/** The images of a form. */
const withFiles = (schema: JsonSchema, images: readonly string[]): JsonSchema =>
  convertImages(schema, images, ({ description }) => ({
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: String(description).replace('In base64, or as a data URL.', 'A file.'),
  }))

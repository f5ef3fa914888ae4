import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { documentedCodes } from '../../src/contract/documented-codes.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import { errorCatalog, type KnownErrorCode } from '../../src/contract/errors/catalog.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { requestIdHeader } from '../../src/contract/service.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { webhookEventTypes } from '../../src/contract/webhooks/events.ts'
import { readDocument } from './read-document.ts'

const endpoints: readonly Endpoint[] = [
  ...verificationEndpoints,
  ...oidcEndpoints,
  ...legacyEndpoints,
  ...organizationEndpoints,
]

const { document, operations, resolve } = readDocument()

/** The operation of the document for an endpoint. */
function operationFor({ method, path }: Endpoint) {
  const operation = operations.find((one) => one.method === method && one.path === path)
  if (!operation) return expect.fail(`${method} ${path} is not in the document`)
  return operation
}

const namesOf = (some: readonly Endpoint[]) => some.map(({ operation }) => operation).sort()

it('the document has every operation of the contract, by its name, and no other', () => {
  const named = operations.flatMap(({ operationId, 'x-operations': shared }) => shared ?? [operationId])

  expect(named.sort()).toEqual(namesOf(endpoints))
  expect(endpoints.map((endpoint) => operationFor(endpoint).summary)).not.toContain(undefined)
})

it('the webhooks are the event types of the contract', () => {
  expect(Object.keys(document.webhooks)).toEqual([...webhookEventTypes])
})

it.each(endpoints)('$operation lists each documented code at its statuses, with its meaning', (endpoint) => {
  const { responses } = operationFor(endpoint)

  const missing = documentedCodes(endpoint).filter((code) => {
    // The contract gives the organization API one status of this code.
    const isOne = code === 'invalid_request' && organizationEndpoints.some((one) => one === endpoint)
    const statuses = isOne ? [400] : errorCatalog()[code].statuses
    return !statuses.every((status) => {
      const { description = '', content } = resolve(responses[status] ?? {})
      const text = JSON.stringify(content ?? {})
      return description.includes(`- \`${code}\`: ${errorCatalog()[code].meaning}`) && text.includes(`"${code}"`)
    })
  })

  expect(missing).toEqual([])
})

it('the whole catalog of codes is listed once, and errors may have other codes', () => {
  const codes = Object.keys(errorCatalog())
  const reference = { $ref: '#/components/schemas/ErrorCode' }
  const enveloped = { properties: { error: { properties: { code: reference } } } }

  expect(document.components.schemas).toMatchObject({
    ErrorCode: { anyOf: [{ type: 'string', enum: codes }, { type: 'string' }] },
    ErrorResponse: enveloped,
    OrganizationErrorResponse: enveloped,
    OAuthErrorResponse: { properties: { error: reference } },
  })
})

it('no response lists a code that the contract does not name for the operation', () => {
  const foreign = operations.flatMap(({ method, path, responses }) => {
    const own: readonly KnownErrorCode[] = endpoints
      .filter((endpoint) => endpoint.method === method && endpoint.path === path)
      .flatMap(documentedCodes)
    const listed = Object.values(responses).flatMap((response) =>
      Object.keys(resolve(response).content?.['application/json']?.examples ?? {}),
    )
    return listed.filter((code) => !own.some((known) => known === code)).map((code) => `${path}: ${code}`)
  })

  expect(foreign).toEqual([])
})

it('unconfirmed operations are marked, removed ones are deprecated, charged ones are billable', () => {
  const marked = (name: 'x-unconfirmed' | 'deprecated' | 'x-billable') =>
    operations.filter((one) => one[name] === true).map(({ operationId }) => operationId)

  expect(marked('x-unconfirmed').sort()).toEqual(namesOf(endpoints.filter((one) => one.unconfirmed)))
  expect(marked('deprecated').sort()).toEqual(namesOf(legacyEndpoints))
  expect(marked('x-billable').sort()).toEqual(namesOf(endpoints.filter((one) => one.billable)))
})

it('every operation names the section of the contract that it comes from', () => {
  const sections = new Map(endpoints.map(({ method, path, section }) => [`${method} ${path}`, section]))
  const own = operations.map(({ method, path }) => [`${method} ${path}`, sections.get(`${method} ${path}`)])

  expect(operations.map((one) => [`${one.method} ${one.path}`, one['x-contract-section']])).toEqual(own)
})

it('every response has the header with the request id', () => {
  const without = operations.flatMap(({ path, responses }) =>
    Object.entries(responses)
      .filter(([, response]) => {
        const names = Object.keys(resolve(response).headers ?? {}).map((name) => name.toLowerCase())
        return !names.includes(requestIdHeader)
      })
      .map(([status]) => `${path} ${status}`),
  )

  expect(without).toEqual([])
})

it.each(endpoints.filter(({ images }) => images))(
  '$operation takes its images as files of a form, and in JSON',
  (endpoint) => {
    expect(Object.keys(operationFor(endpoint).requestBody?.content ?? {})).toEqual([
      'application/json',
      'multipart/form-data',
    ])
  },
)

it('the two hosts of the service are servers, and the paths of the organization API have their own', () => {
  const withOwn = Object.entries(document.paths).filter(([, { servers }]) => servers)

  expect(document.servers.map(({ url }) => url)).toEqual(['{base_url}'])
  expect(withOwn.map(([path]) => path)).toEqual([...new Set(organizationEndpoints.map(({ path }) => path))])
  expect(withOwn.map(([, { servers }]) => servers?.map(({ url }) => url))).toEqual(
    withOwn.map(() => ['{org_base_url}']),
  )
})

it('every field, value and code in the document is a name of the contract', () => {
  const folder = new URL('../../src/contract/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const words = new Set(files.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').match(/[\w.]+/g) ?? []))
  const names: string[] = []
  JSON.stringify(document, (key, value) => {
    if (key === 'properties') names.push(...Object.keys(value))
    if (key === 'enum') names.push(...value)
    return value
  })

  expect(names.length).toBeGreaterThan(500)
  // The declarations leave out the envelope (section 2.1), of which the clients read the other members.
  expect([...new Set(names)].filter((name) => !words.has(name))).toEqual(['success'])
})

it('the fields of requests are described, and so are those of schemas', () => {
  const undescribed = (name: string, { properties = {} }: { properties?: Record<string, object> }) =>
    Object.entries(properties)
      .filter(([, property]) => !('description' in property))
      .map(([field]) => `${name}.${field}`)
  // The members of envelopes are described by their schema.
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !/ErrorResponse$/.test(name))
  const bodies = operations.map(({ operationId, requestBody }): [string, object] => [
    operationId,
    resolve(requestBody?.content['application/json']?.schema ?? {}),
  ])

  const note = 'fields without a docstring in their interface in src/contract'
  expect(
    [...schemas, ...bodies].flatMap(([name, schema]) => undescribed(name, schema)),
    note,
  ).toEqual([])
})

import { expect, it } from 'vitest'
import { readDocument } from './read-document.ts'
import { documentValidator } from './validation.ts'

const { document, operations, resolve } = readDocument()
const validate = documentValidator()

interface Example {
  readonly name: string
  readonly schema: object
  readonly value: unknown
}

type Content = NonNullable<(typeof operations)[number]['requestBody']>['content']

const examplesOf = (name: string, content: Content = {}): Example[] =>
  Object.values(content).flatMap(({ schema = {}, example, examples = {} }) => [
    ...(example === undefined ? [] : [{ name, schema, value: example }]),
    ...Object.entries(examples).map(([key, { value }]) => ({ name: `${name} (${key})`, schema, value })),
  ])

const all = [...operations, ...Object.values(document.webhooks).map(({ post }) => post)].flatMap(
  ({ operationId, parameters = [], requestBody, responses }) => [
    ...parameters
      .map(resolve)
      .filter(({ example }) => example !== undefined)
      .map(({ name, schema, example: value }) => ({ name: `${operationId}: ${name}`, schema, value })),
    ...examplesOf(`the request of ${operationId}`, requestBody?.content),
    ...Object.entries(responses).flatMap(([status, response]) =>
      examplesOf(`the ${status} of ${operationId}`, resolve(response).content),
    ),
  ],
)

it('every operation has an example of its request and of its response', () => {
  const names = new Set(all.map(({ name }) => name))
  const withBody = operations.filter(
    ({ requestBody, 'x-operations': shared, 'x-unconfirmed': unconfirmed }) => requestBody && !shared && !unconfirmed,
  )

  expect(all.length).toBeGreaterThan(200)
  expect(withBody.map(({ operationId }) => `the request of ${operationId}`).filter((name) => !names.has(name))).toEqual(
    [],
  )
  expect(
    operations
      .filter(({ operationId, 'x-unconfirmed': unconfirmed }) => !unconfirmed && operationId !== 'oidc.authorize')
      .filter(({ operationId }) => ![200, 201].some((status) => names.has(`the ${status} of ${operationId}`)))
      .map(({ operationId }) => operationId),
  ).toEqual([])
})

it('every example is valid against its schema', () => {
  const invalid = all
    .map(({ name, schema, value }) => [name, validate(schema, value)] as const)
    .filter(([, problems]) => problems.length > 0)

  expect(invalid).toEqual([])
})

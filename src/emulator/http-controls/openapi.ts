import type { ControlRoute } from './routes.ts'

/** Returns the OpenAPI document of the control API. */
export function controlOpenApi(routes: readonly ControlRoute[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const operations = paths[route.path] ?? {}
    operations[route.method.toLowerCase()] = operationOf(route)
    paths[route.path] = operations
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the emulator',
      version: '1',
      description:
        'Does what the in-process controls do, for tests in any language. Accepts requests to loopback hosts only.',
    },
    servers: [{ url: '/_emulator/api' }],
    paths,
    components: {
      schemas: {
        Error: {
          type: 'object',
          required: ['error'],
          properties: {
            error: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
          },
        },
      },
    },
  }
}

function operationOf({ method, path, summary, fields = {}, required = [] }: ControlRoute): object {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const schema = { type: 'object', properties: fields, additionalProperties: false, required }
  const words = path.split(/\W+/).filter((word) => word !== '')
  return {
    operationId: [method.toLowerCase(), ...words].join('_'),
    summary,
    ...(ids.length > 0 && { parameters: ids }),
    ...(Object.keys(fields).length > 0 && {
      requestBody: { required: required.length > 0, content: { 'application/json': { schema } } },
    }),
    responses: {
      '200': { description: 'What the control returns.', content: { 'application/json': {} } },
      '204': { description: 'Done. There is nothing to return.' },
      '4XX': {
        description: 'What is wrong, in words.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

import { Hono } from 'hono/tiny'
import { isJsonObject } from '../../contract/schema/schema.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import { parseJson, readBytes } from '../../runtime/bytes.ts'
import { isLoopback } from '../../runtime/secure-url.ts'
import { controlPath } from '../model/addresses.ts'
import { isCrossSite, urlOf } from '../model/request.ts'
import type { Control, ControlledEmulator } from './control.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { allControls } from './table.ts'

const healthPath = '/_emulator/health'
/** Path of the OpenAPI document of the service. */
const serviceDocumentPath = '/_emulator/openapi.json'

/** Far more than any other control needs. */
const usualBodyBytes = 1024 * 1024

/**
 * Returns whether a request is for the control API, for the document of the service, or asks whether the emulator runs.
 */
export function isControl(request: Request): boolean {
  const { pathname } = urlOf(request)
  const isOther = pathname === healthPath || pathname === serviceDocumentPath
  return isOther || pathname === controlPath || pathname.startsWith(`${controlPath}/`)
}

/**
 * Creates the control API: the in-process controls over HTTP, for tests in any language. It is not part of the service,
 * so faults do not affect it, and the request log does not contain its requests.
 */
export function createControlApi(
  at: (baseUrl: string) => ControlledEmulator,
): (request: Request, baseUrl?: string) => Promise<Response> {
  const app = new Hono<{ Bindings: ControlledEmulator }>()
  for (const control of allControls) {
    const [method = '', path = ''] = control.route.split(' ')
    app.on(method, controlPath + path.replaceAll(/\{(\w+)\}/g, ':$1'), async ({ req, env }) => {
      const result = await control.act(env, await readInput(control, req.raw, req.param()))
      return result === undefined ? new Response(null, { status: 204 }) : Response.json(result)
    })
  }
  app.get(`${controlPath}/openapi.json`, () => Response.json(controlOpenApi()))
  app.get(healthPath, ({ env }) => Response.json({ status: 'ok', now: env.state.clock.now() }))
  app.get(serviceDocumentPath, async ({ env }) => {
    // A CommonJS file, which bundlers of development servers may not evaluate.
    const { createOpenApiDocument } = await import('#openapi')
    return Response.json(atAddress(createOpenApiDocument(), env.baseUrl))
  })
  app.notFound(({ req }) =>
    failure(404, `Unknown control: ${req.method} ${req.path}. ${controlPath}/openapi.json lists all controls`),
  )
  app.onError((error) => {
    if (error instanceof EmulatorError) return failure(400, error.message)
    return failure(500, `The emulator itself failed: ${error}`)
  })
  return async (request, baseUrl = urlOf(request).origin) => {
    const response = isCrossSite(request, new URL(baseUrl).origin)
      ? failure(403, 'The control API accepts no requests from pages of other sites')
      : await app.fetch(request, at(baseUrl))
    response.headers.set('cache-control', 'no-store')
    return response
  }
}

const urlFields: ReadonlySet<string> = new Set(['authorizationUrl', 'tokenUrl', 'refreshUrl'])

/**
 * Returns the document of a service at one address, in place of the placeholders.
 *
 * @param baseUrl without a trailing slash
 */
export const atAddress = (document: object, baseUrl: string): object =>
  JSON.parse(JSON.stringify(document), (name, part) => {
    if (name === 'servers') return [{ url: baseUrl }]
    return urlFields.has(name) ? baseUrl + new URL(String(part)).pathname : part
  })

/** Headers that proxies and tunnels add. What their visitors send comes from this machine, and may name any host. */
const headersOfProxies = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/** Returns the response to a request for the control API or the console that another machine may have sent. */
export function rejectRemote(request: Request, controls: 'loopback' | 'everyone' | 'no one'): Response | undefined {
  if (controls === 'everyone') return undefined
  const sign = controls === 'no one' ? 'comes from another machine' : signOfRemote(request)
  return sign === undefined
    ? undefined
    : failure(
        403,
        `The control API and the console accept requests of this machine only, and this one ${sign}. A server accepts it with allowRemoteControls (--allow-remote-controls)`,
      )
}

function signOfRemote(request: Request): string | undefined {
  const header = [...request.headers.keys()].find((name) => headersOfProxies.test(name))
  if (header !== undefined) return `has the header ${header} of a proxy`
  return isLoopback(urlOf(request).hostname) ? undefined : 'is not to a loopback host, such as 127.0.0.1 or localhost'
}

const failure = (status: number, message: string) =>
  Response.json({ error: { message } }, { status, headers: { 'cache-control': 'no-store' } })

/** Reads the fields of a control from the JSON body and the path of a request. */
async function readInput(
  { name, maxBodyBytes = usualBodyBytes }: Control,
  { method, body }: Request,
  ids: Readonly<Record<string, string>>,
): Promise<object> {
  if (method !== 'POST') return ids
  const bytes = await readBytes(body, maxBodyBytes)
  if (bytes === undefined)
    throw new EmulatorError({ message: `${name}: the body is larger than ${maxBodyBytes} bytes` })
  const fields = bytes.byteLength === 0 ? {} : parseJson(new TextDecoder().decode(bytes))
  if (!isJsonObject(fields)) throw new EmulatorError({ message: `${name}: the body must be a JSON object` })
  const twice = Object.keys(ids).find((id) => Object.hasOwn(fields, id))
  if (twice !== undefined) throw new EmulatorError({ message: `${name}: ${twice} is in the path, not in the body` })
  return { ...fields, ...ids }
}

/** Returns the OpenAPI document of the control API. */
function controlOpenApi(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const control of allControls) {
    const [method = '', path = ''] = control.route.split(' ')
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(control, method, path) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the emulator',
      version: '1',
      description:
        'Does what the in-process controls do, for tests in any language. Accepts requests to loopback hosts only.',
    },
    servers: [{ url: controlPath }],
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

function operationOf(control: Control, method: string, path: string): object {
  const { properties = {}, required = [], ...rest } = jsonSchemaOf(control.fields)
  const names = Object.keys(properties)
  const isInPath = (name: string) => path.includes(`{${name}}`)
  const inBody = names.filter((name) => !isInPath(name))
  const schema = {
    ...rest,
    properties: Object.fromEntries(inBody.map((name) => [name, properties[name]])),
    required: required.filter((name) => !isInPath(name)),
  }
  const parameters = names
    .filter(isInPath)
    .map((name) => ({ name, in: 'path', required: true, schema: properties[name] }))
  return {
    operationId: [method.toLowerCase(), ...path.split(/\W+/).filter(Boolean)].join('_'),
    summary: control.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(inBody.length > 0 && {
      requestBody: { required: schema.required.length > 0, content: { 'application/json': { schema } } },
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

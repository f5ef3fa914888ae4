import { Hono } from 'hono/tiny'
import { createOpenApiDocument } from '#openapi'
import { EmulatorError } from '../../errors/sdk-error.ts'
import { parseJson, readBytes } from '../../runtime/bytes.ts'
import { isLoopback } from '../../runtime/secure-url.ts'
import type { Emulator } from '../controls/controls.ts'
import { isCrossSite } from '../pages/form.ts'
import { emulatorHeaders } from '../server/response.ts'
import type { ServiceState } from '../state/service-state.ts'
import { atAddress } from './addresses.ts'
import { controlOpenApi } from './openapi.ts'
import { type ControlRoute, controlRoutes, type FieldSchema } from './routes.ts'

/** Path of the control API. No path of the service starts with it. */
const controlPath = '/_emulator/api'
const healthPath = '/_emulator/health'
/** Path of the OpenAPI document of the service. */
const serviceDocumentPath = '/_emulator/openapi.json'

/** Far more than any other control needs. */
const usualBodyBytes = 1024 * 1024

/** Returns whether a request is for the control API, for the document of the service, or asks whether the emulator runs. */
export function isControl({ url }: Request): boolean {
  const { pathname } = new URL(url)
  const isOther = pathname === healthPath || pathname === serviceDocumentPath
  return isOther || pathname === controlPath || pathname.startsWith(`${controlPath}/`)
}

interface Bindings {
  readonly baseUrl: string
}

/**
 * Creates the control API: the in-process controls over HTTP, for tests in any language. It is not part of the service,
 * so faults do not affect it, and the request log does not contain its requests.
 *
 * @param state called by each request, because a reset creates a new state
 */
export function createControlApi(
  emulator: () => Emulator,
  state: () => ServiceState,
): (
  request: Request,
  from: { readonly baseUrl: string | undefined; readonly isForEveryone: boolean },
) => Promise<Response> {
  const routes = controlRoutes(emulator, state)
  const app = new Hono<{ Bindings: Bindings }>()
  for (const route of routes) {
    app.on(route.method, controlPath + route.path.replaceAll(/\{(\w+)\}/g, ':$1'), async ({ req, env }) => {
      const body = route.method === 'POST' ? await readFields(req.raw, route) : {}
      const result = await route.act({ ids: req.param(), body, baseUrl: env.baseUrl })
      return result === undefined ? new Response(null, { status: 204 }) : Response.json(result)
    })
  }
  app.get(`${controlPath}/openapi.json`, () => Response.json(controlOpenApi(routes)))
  app.get(healthPath, () => Response.json({ status: 'ok', now: emulator().clock.now() }))
  app.get(serviceDocumentPath, ({ env: { baseUrl } }) =>
    Response.json(atAddress(createOpenApiDocument(), baseUrl)),
  )
  app.notFound(({ req }) =>
    failure(
      404,
      `Unknown control: ${req.method} ${req.path}. ${controlPath}/openapi.json lists all controls`,
    ),
  )
  app.onError((error) => {
    if (error instanceof EmulatorError) return failure(400, error.message)
    return failure(500, `The emulator itself failed: ${error}`)
  })
  return async (request, { baseUrl = new URL(request.url).origin, isForEveryone }) => {
    const response = rejected(request, { baseUrl, isForEveryone }) ?? (await app.fetch(request, { baseUrl }))
    for (const [name, value] of Object.entries(emulatorHeaders)) response.headers.set(name, value)
    response.headers.set('cache-control', 'no-store')
    return response
  }
}

/** Other machines and the pages of other sites must neither read nor change the emulator. */
function rejected(
  request: Request,
  { baseUrl, isForEveryone }: { readonly baseUrl: string; readonly isForEveryone: boolean },
): Response | undefined {
  if (!isForEveryone && !isLoopback(new URL(request.url).hostname))
    return failure(
      403,
      'The control API accepts requests to loopback hosts only, such as 127.0.0.1 or localhost',
    )
  if (isCrossSite(request, new URL(baseUrl).origin))
    return failure(403, 'The control API accepts no requests from pages of other sites')
  return undefined
}

/** Returns the response to another machine that requests the control API or the console. */
export function rejectRemote(): Response {
  const response = failure(403, 'The control API and the console accept requests of this machine only')
  for (const [name, value] of Object.entries(emulatorHeaders)) response.headers.set(name, value)
  return response
}

const failure = (status: number, message: string) => Response.json({ error: { message } }, { status })

/** Reads the fields of a JSON body, and rejects those that the control does not have. */
async function readFields(
  request: Request,
  { fields = {}, required = [], maxBodyBytes = usualBodyBytes }: ControlRoute,
): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBytes(request.body, maxBodyBytes)
  if (bytes === undefined)
    throw new EmulatorError({ message: `The body is larger than ${maxBodyBytes} bytes` })
  const body = bytes.byteLength === 0 ? {} : parseJson(new TextDecoder().decode(bytes))
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new EmulatorError({ message: 'The body must be a JSON object' })
  const names = Object.keys(fields)
  const unknown = Object.keys(body).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'This control has none' : `Known fields: ${names.join(', ')}`
    throw new EmulatorError({ message: `Unknown field ${JSON.stringify(unknown)}. ${known}` })
  }
  for (const [name, value] of Object.entries(body)) {
    const problem = fieldProblem(fields[name], value)
    if (problem !== undefined) throw new EmulatorError({ message: `The field ${name} must be ${problem}` })
  }
  const missing = required.find((name) => !Object.hasOwn(body, name))
  if (missing !== undefined) throw new EmulatorError({ message: `The field ${missing} is missing` })
  return body as Readonly<Record<string, unknown>>
}

/** Returns what a field must be, if the value is not that. */
function fieldProblem(schema: FieldSchema | undefined, value: unknown): string | undefined {
  if (schema?.enum !== undefined) {
    return schema.enum.includes(value) ? undefined : `one of ${schema.enum.join(', ')}`
  }
  const types = [schema?.type ?? []].flat()
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  const kinds = Number.isInteger(value) ? [kind, 'integer'] : [kind]
  return types.some((type) => kinds.includes(type)) ? undefined : `of type ${types.join(' or ')}`
}

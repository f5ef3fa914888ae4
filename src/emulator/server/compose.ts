import { Hono } from 'hono/tiny'
import type { Endpoint } from '../../contract/endpoint.ts'
import { requestIdHeader } from '../../contract/service.ts'
import { activationPath, hostedPath } from '../model/addresses.ts'
import { ConnectionReset } from '../model/faults/faults.ts'
import { ScriptedResponse } from '../model/faults/malformed-response.ts'
import { type EmulatorRequest, readBody, urlOf } from '../model/request.ts'
import { type RequestDraft, recordBody, recordResponse } from '../model/request-log.ts'
import { type EmulatorResponse, emulatorHeaders, errorResponse } from '../model/response.ts'
import { ServiceError, serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import { handleActivationForm, showActivationPage } from '../pages/activation-page.ts'
import { handleAuthorization } from '../pages/consent-page.ts'
import { handleHostedForm, showHostedPage } from '../pages/hosted-page.ts'
import { checkOperations, discoveryOperations, licenseOperations } from '../service/checks.ts'
import { experimentalOperations } from '../service/experimental.ts'
import { handleOperation, type Operation } from '../service/operation.ts'
import { billingOperations, memberOperations } from '../service/organization.ts'
import { sessionOperations } from '../service/sessions.ts'
import { signInEndpoints, signInRoutes } from '../service/sign-in.ts'
import { workflowOperations } from '../service/workflows.ts'
import { stripBasePath } from './base-url.ts'

/** The emulated service. Serves one state. */
export interface Service {
  /** The endpoints of the contract that it serves. */
  readonly served: readonly Endpoint[]
  /**
   * Rejects with a {@link ConnectionReset} if a fault drops the connection.
   *
   * @param baseUrl address of the service, without a trailing slash. Defaults to the origin of the request's URL
   */
  fetch(request: Request, baseUrl?: string): Promise<Response>
}

interface RequestBindings {
  readonly request: EmulatorRequest
  readonly record: RequestDraft
}

/** The bodies of responses that are recorded. To read them from a copy costs more than all that the service does. */
const bodies = new WeakMap<Response, string>()

function toResponse({ status, headers, body }: EmulatorResponse): Response {
  const response = new Response(body, { status, headers: { ...headers } })
  bodies.set(response, body)
  return response
}

/** Returns the routes of operations, of sign-ins and of the pages that people see. */
function routesOf(state: ServiceState, operations: readonly Operation[]): Hono<{ Bindings: RequestBindings }> {
  const app = new Hono<{ Bindings: RequestBindings }>()
  for (const operation of operations) {
    const { method, path } = operation.endpoint
    app.on(method, routeOf(path), async (context) => {
      const { request, record } = context.env
      record.operation = operation.endpoint.operation
      return toResponse(await handleOperation(state, operation, context.req.param(), request))
    })
  }
  for (const { method, path, respond } of signInRoutes(state, (request) => handleAuthorization(state, request)))
    app.on(method, path, ({ env: { request, record } }) => respond(request, record))
  app.get(routeOf(hostedPath), (context) => showHostedPage(state, context.req.param('path') ?? '', context.env.request))
  app.post(routeOf(hostedPath), (context) =>
    handleHostedForm(state, context.req.param('path') ?? '', context.env.request),
  )
  app.get(routeOf(activationPath), ({ req }) => showActivationPage(state, req.param('token') ?? ''))
  app.post(routeOf(activationPath), ({ req, env }) =>
    handleActivationForm(state, req.param('token') ?? '', env.request),
  )
  app.notFound(({ req }) => {
    throw endpointNotFound(req.method, req.path)
  })
  app.onError((error) => {
    throw error
  })
  return app
}

export function createService(state: ServiceState): Service {
  const operations = [
    ...sessionOperations(state),
    ...workflowOperations(state),
    ...checkOperations(state),
    ...licenseOperations(state),
    ...discoveryOperations,
    ...experimentalOperations(state),
    ...memberOperations(state),
    ...billingOperations(state),
  ]
  const app = routesOf(state, operations)

  return {
    served: [...operations.map(({ endpoint }) => endpoint), ...signInEndpoints],
    async fetch(request, baseUrl = urlOf(request).origin) {
      const requestId = state.random.id('req_')
      const record = state.requestLog.open(request, requestId, state.clock.now())
      void state.runDueTasks()
      try {
        // A body that fails ends the request, as it ends a connection: the sender knows why.
        const bytes = await readBody(request).catch((error: unknown) => {
          if (error instanceof ServiceError) return error
          throw error
        })
        const response = await dispatch(request, { requestId, record, baseUrl, bytes }).catch((error: unknown) => {
          if (error instanceof ConnectionReset || request.signal.aborted) throw error
          if (error instanceof ScriptedResponse) return toResponse(error.response)
          return toResponse(errorResponse(error instanceof ServiceError ? error : internalError(error)))
        })
        for (const [name, value] of Object.entries(emulatorHeaders)) response.headers.set(name, value)
        response.headers.set(requestIdHeader, requestId)
        await recordResponse(record, response, bodies.get(response))
        return response
      } finally {
        state.requestLog.close(record)
      }
    },
  }

  async function dispatch(request: Request, { requestId, record, baseUrl, bytes }: Dispatched): Promise<Response> {
    if (bytes instanceof ServiceError) throw bytes
    recordBody(record, bytes)
    const { method, headers, signal } = request
    const asked = urlOf(request)
    const url = stripBasePath(asked, baseUrl)
    if (url === undefined) throw endpointNotFound(method, asked.pathname)
    const bindings = { request: { requestId, method, url, baseUrl, headers, bytes, signal }, record }
    return app.fetch(url.pathname === asked.pathname ? request : new Request(url, { method, headers }), bindings)
  }
}

interface Dispatched {
  readonly requestId: string
  readonly record: RequestDraft
  readonly baseUrl: string
  /** The body, or why it is rejected. */
  readonly bytes: Uint8Array | ServiceError
}

/** Converts a path template of the declarations to the router's notation. */
const routeOf = (template: string) => template.replaceAll(/\{(\w+)\}/g, ':$1')

/** Sets the status, because the contract lists this code without one. */
const endpointNotFound = (method: string, path: string) =>
  serviceError('endpoint_not_found', {
    status: 404,
    message: `The endpoint does not exist: ${method} ${path}`,
  })

/** A bug in the emulator. The message says so, because it must not look like a response of the service. */
const internalError = (error: unknown) =>
  serviceError('internal_error', { message: `The emulator itself failed: ${error}` })

import { type HttpHandler, http } from 'msw'
import { organizationEndpoints } from '../contract/organization/endpoints.ts'
import { legacyEndpoints } from '../contract/sign-in/legacy.ts'
import { oidcEndpoints } from '../contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../contract/verification/endpoints.ts'
import type { Emulator } from '../emulator/controls/controls.ts'
import { activationPath, hostedPath } from '../emulator/model/addresses.ts'
import { readBaseUrl } from '../emulator/server/base-url.ts'
import { checkOptions } from '../options/rules.ts'

/** Addresses at which the app under test expects the service. */
export interface MswHandlersOptions {
  /** The `baseUrl` that the app passes to its clients, with or without a path. Sessions and tokens contain it. */
  readonly baseUrl: string | URL
  /** The `baseUrl` that the app passes to its `OrgClient`. @default baseUrl */
  readonly orgBaseUrl?: string | URL | undefined
}

/**
 * Creates handlers for MSW 2 and 3 that pass requests for the service to an emulator: to its API and to its hosted
 * pages. Other requests, also to the same hosts, go to your other handlers and to `onUnhandledFrame` (MSW 2:
 * `onUnhandledRequest`). Faults that drop the connection become network errors.
 *
 * If `emulator.requests` is empty after a call, MSW did not ask these handlers. Of several `setupServer()` in one
 * process, only the one that listened last responds, so pass all handlers to one, or add these with `server.use()`.
 *
 * On Node, MSW does not intercept the clients' default transport. In the app's tests, set `SVC_TRANSPORT=fetch`, or
 * pass `fetch` to the clients.
 *
 * @throws {ConfigurationError} an address is not an http or https URL, or has credentials, a query or a fragment
 *
 * @example
 * const emulator = createEmulator()
 * const server = setupServer(...mswHandlers(emulator, { baseUrl: 'https://id.example.com' }))
 * server.listen({ onUnhandledFrame: 'error' }) // MSW 2: onUnhandledRequest
 */
export function mswHandlers(emulator: Pick<Emulator, 'at'>, options: MswHandlersOptions): HttpHandler[] {
  checkOptions('mswHandlers', options, { baseUrl: true, orgBaseUrl: true })
  const { baseUrl, orgBaseUrl = baseUrl } = options
  return [
    handlerFor(emulator, readBaseUrl('mswHandlers: baseUrl', baseUrl), identityRoots),
    handlerFor(emulator, readBaseUrl('mswHandlers: orgBaseUrl', orgBaseUrl), organizationRoots),
  ]
}

/** Returns the segments that all paths have in common. The last segment of a path never counts. */
function commonRoot(paths: readonly { readonly path: string }[]): string {
  const [first = [], ...others] = paths.map(({ path }) => path.split('/').slice(0, -1))
  const end = first.findIndex((segment, i) => others.some((other) => other[i] !== segment))
  return first.slice(0, end < 0 ? undefined : end).join('/')
}

/** Paths of the identity host: the verification API, sign-in and the hosted pages. */
const identityRoots: readonly string[] = [
  verificationEndpoints,
  oidcEndpoints,
  legacyEndpoints,
  [{ path: hostedPath }],
].map(commonRoot)

/** Paths of the organization's host: its API, and the pages of activation links. */
const organizationRoots: readonly string[] = [organizationEndpoints, [{ path: activationPath }]].map(commonRoot)

function handlerFor(emulator: Pick<Emulator, 'at'>, baseUrl: string, roots: readonly string[]): HttpHandler {
  const serve = emulator.at(baseUrl)
  // Not one of MSW's path patterns, because in those some characters of your address would have a meaning.
  const below = new RegExp(`^(?:${roots.map((root) => escaped(baseUrl + root)).join('|')})/`)
  return http.all(below, async ({ request }) => {
    try {
      return await serve(request)
    } catch (error) {
      // MSW prints errors that are thrown here. An aborted caller already has its own error.
      if (request.signal.aborted || isNetworkError(error)) return Response.error()
      throw error
    }
  })
}

/** Returns whether an error is one of `fetch`. Those have a cause, which distinguishes them from a bug in some code. */
const isNetworkError = (error: unknown) => error instanceof TypeError && error.cause !== undefined

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

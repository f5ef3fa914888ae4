import { type HttpHandler, http } from 'msw'
import type { Emulator } from '../emulator/controls/controls.ts'
import { readBaseUrl } from '../emulator/server/base-url.ts'
import { identityRoots, organizationRoots } from './roots.ts'

/** Where the app under test believes the service to be. */
export interface MswHandlersOptions {
  /** What the app gives the clients as `baseUrl`, with or without a path. Sessions and tokens name it. */
  readonly baseUrl: string | URL
  /** The same of the `OrgClient`. @default baseUrl */
  readonly orgBaseUrl?: string | URL | undefined
}

/**
 * Handlers for MSW 2 and 3 that hand what is sent to the service to an emulator: its API and its hosted pages.
 * Whatever else is sent, to the same hosts too, is not theirs: other handlers see it, and `onUnhandledRequest` (MSW 3:
 * `onUnhandledFrame`). Faults that drop the connection are network errors.
 *
 * On Node, MSW does not see the clients' default transport: set `SVC_TRANSPORT=fetch` in the app's tests, or pass
 * `fetch` to the clients.
 *
 * @throws {ConfigurationError} an address is no http or https URL, or has more than a host and a path
 * @see service contract, section 4
 *
 * @example
 * const emulator = createEmulator()
 * const server = setupServer(...mswHandlers(emulator, { baseUrl: 'https://id.example.com' }))
 * server.listen({ onUnhandledRequest: 'error' })
 */
export function mswHandlers(
  emulator: Pick<Emulator, 'at'>,
  { baseUrl, orgBaseUrl = baseUrl }: MswHandlersOptions,
): HttpHandler[] {
  return [
    handlerFor(emulator, readBaseUrl('baseUrl', baseUrl), identityRoots),
    handlerFor(emulator, readBaseUrl('orgBaseUrl', orgBaseUrl), organizationRoots),
  ]
}

function handlerFor(emulator: Pick<Emulator, 'at'>, baseUrl: string, roots: readonly string[]): HttpHandler {
  const serve = emulator.at(baseUrl)
  // A pattern of MSW's own would give characters of the caller's address a meaning.
  const below = new RegExp(`^(?:${roots.map((root) => escaped(baseUrl + root)).join('|')})/`)
  return http.all(below, async ({ request }) => {
    try {
      return await serve(request)
    } catch (error) {
      // Who gave up has heard of it already; MSW would print what is thrown here.
      if (request.signal.aborted || isNetworkError(error)) return Response.error()
      throw error
    }
  })
}

/** As `fetch` rejects when the connection is gone: with a cause, which a mistake in some code has not. */
const isNetworkError = (error: unknown) => error instanceof TypeError && error.cause !== undefined

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

import { ConfigurationError } from '../../errors/sdk-error.ts'
import { checkOptions, type Rule } from '../../options/rules.ts'
import type { SignInOptions } from './sign-in.ts'
import { linkBetween } from './sign-in-page.ts'

/** A request, independent of the framework. */
export interface SignInRequest {
  readonly method: string
  readonly path: string
  /** The path with the prefix that a middleware is mounted at. Missing if the app has selected the route already. */
  readonly fullPath?: string
  /** Scheme and host, as far as the server has them. Headers of the request may say otherwise. */
  readonly origin: string
  readonly query: URLSearchParams
  /** Returns the value of a header, if there is one. */
  header(name: string): string | null | undefined
}

type SignInStep = 'login' | 'callback'

/** A request to one of the two routes. */
interface SignInRoute {
  readonly step: SignInStep
  /** Leads from the page of this request to the login route. */
  readonly loginUrl: string
}

/** The paths of the two routes in the browser, without a slash at the end. */
type Routes = Readonly<Record<SignInStep, string>>

const aPath: Rule = {
  form: 'start with /',
  allows: (path) => typeof path === 'string' && path.startsWith('/'),
}
const steps: readonly SignInStep[] = ['login', 'callback']
const withoutSlash = (path: string) => path.replace(/\/$/, '')

/** Finds the route of a request, of which a framework may have removed a prefix, or added a slash. */
export class SignInRoutes {
  /** For each redirect URI. */
  readonly #routes: readonly Routes[]
  /** The paths of the options. */
  readonly #given: Partial<Routes>

  /** @throws {ConfigurationError} a path is not one, or both are the same */
  constructor(owner: string, paths: SignInOptions['paths'] = {}, redirectUris: readonly (string | undefined)[]) {
    checkOptions(owner, paths, { login: aPath, callback: aPath }, 'paths.')
    const given = Object.entries(paths).flatMap(([step, path]) =>
      path === undefined ? [] : [[step, withoutSlash(path)]],
    )
    this.#given = Object.fromEntries(given)
    this.#routes = redirectUris.map((uri) => routesOf(uri, this.#given))
    if (this.#routes.some(({ login, callback }) => login === callback))
      throw new ConfigurationError({
        message: `${owner}: paths.login and paths.callback must be different. The default of paths.callback is the path of redirectUri`,
      })
  }

  find(request: Pick<SignInRequest, 'path' | 'fullPath'>): SignInRoute | undefined {
    const { path, fullPath = path } = request
    const seen = [path, fullPath].map(withoutSlash)
    const isSame = (step: SignInStep, route: string) => seen.some((one) => one === route || one === this.#given[step])
    // Next.js removes `basePath`, a router its prefix, and a proxy the path of the app. A middleware gets requests to all
    // routes of an app, so that there a path of the options is meant as it is.
    const isEnd = (step: SignInStep, route: string) =>
      (request.fullPath === undefined || this.#given[step] === undefined) &&
      seen[0] !== '' &&
      route.endsWith(seen[0] as string)
    for (const matches of [isSame, isEnd])
      for (const routes of this.#routes)
        for (const step of steps)
          if (matches(step, routes[step])) {
            const page = routes[step] + (path.endsWith('/') ? '/' : '')
            return { step, loginUrl: linkBetween(page, routes.login) }
          }
    return undefined
  }
}

/** The login route is next to the callback route, unless the paths of the options say otherwise. */
function routesOf(redirectUri: string | undefined, given: Partial<Routes>): Routes {
  const isUrl = redirectUri !== undefined && URL.canParse(redirectUri)
  const redirectPath = isUrl ? withoutSlash(new URL(redirectUri).pathname) : ''
  const { login = '/login', callback = /\/[^/]*$/.exec(redirectPath)?.[0] ?? '/callback' } = given
  const prefix = redirectPath.endsWith(callback) ? redirectPath.slice(0, redirectPath.length - callback.length) : ''
  return { login: prefix + login, callback: prefix + callback }
}

/**
 * Selects the redirect URI with the origin of a request. Headers of a proxy are honored without trusting it, because
 * the list is closed: who forges them gets another redirect URI of the app, in the own browser.
 *
 * @returns `undefined` if there are several, and none has this origin
 */
export function selectRedirectUri<Uri extends string | undefined>(
  redirectUris: readonly Uri[],
  { header, origin }: Pick<SignInRequest, 'header' | 'origin'>,
): Uri | undefined {
  if (redirectUris.length === 1) return redirectUris[0]
  const first = (name: string) => header(name)?.split(',')[0]?.trim()
  const [ownScheme = '', ownHost] = origin.split('://')
  const hosts = [first('x-forwarded-host'), first('host'), ownHost]
  // A proxy that ends TLS may not say so.
  const schemes = (first('x-forwarded-proto') ?? ownScheme) === 'https' ? ['https'] : ['http', 'https']
  const origins = hosts.filter(Boolean).flatMap((host) => schemes.map((scheme) => originOf(`${scheme}://${host}`)))
  for (const wanted of origins) {
    const selected = redirectUris.find((uri) => wanted !== undefined && originOf(uri) === wanted)
    if (selected !== undefined) return selected
  }
  return undefined
}

/** Returns the origin of a URL. Private-use schemes have none. */
export function originOf(url: string | undefined): string | undefined {
  const origin = url !== undefined && URL.canParse(url) ? new URL(url).origin : 'null'
  return origin === 'null' ? undefined : origin
}

/** In characters. Five cookies and those of the app must fit into a header of 8 KiB. */
const maxReturnToLength = 512

/**
 * Returns the path to go to after a sign-in: path, query and fragment of `returnTo`, if it leads to a path of the app in
 * every browser. Anything else is ignored, because whoever follows a forged or old link may sign in all the same.
 *
 * @returns `/` by default
 */
export function readReturnTo(query: URLSearchParams): string {
  const [text = '', ...others] = query.getAll('returnTo')
  // Browsers remove tabs and line breaks, and read a backslash as a slash.
  if (others.length > 0 || !/^\/[^\\\p{Cc}]*$/u.test(text)) return '/'
  const base = 'https://app.invalid'
  if (!URL.canParse(text, base)) return '/'
  const { origin, pathname, search, hash } = new URL(text, base)
  // `/..//host` is resolved to `//host`, which is a host to a browser.
  if (origin !== base || pathname.startsWith('//')) return '/'
  const path = pathname + search + hash
  return path.length > maxReturnToLength ? '/' : path
}

import { isTestRun } from '../../runtime/environment.ts'
import { allProxyVariable, type EnvProxy, proxyVariable } from '../transport/env-proxy.ts'
import { ProxyFailure } from '../transport/tunnel.ts'

/**
 * Says which connection failed, as the end of "could not connect", and what to check.
 *
 * @param code the shown code of the failure, in parentheses
 */
export function connectFailure(
  origin: string,
  proxy: EnvProxy | undefined,
  thrown: unknown,
  code: string,
): string {
  if (proxy === undefined) return `${origin}${code}. Check baseUrl.`
  const { variable, host } = proxy
  const named = `the proxy ${host} of ${variable}`
  if (!(thrown instanceof ProxyFailure)) return `${origin} through ${named}${code}. Check baseUrl.`
  const { status } = thrown
  if (status === undefined)
    return `${origin}: ${named} failed${code}. Check ${variable}, or list the host in NO_PROXY.`
  const advice =
    status === 407
      ? `It needs a user and a password: ${variable}=http://user:password@host:port.`
      : 'Allow the host there, or list it in NO_PROXY.'
  return `${origin}: ${named} responded with ${status}. ${advice}`
}

/** Names what other code or the environment has set up, and what does not apply to the client's own pool. */
export const poolAdvice = (origin: string, proxy: EnvProxy | undefined): string =>
  (proxy === undefined ? unusedProxyAdvice(new URL(origin)) : '') +
  (mockAdvice() || (isTestRun() ? testAdvice : ''))

function unusedProxyAdvice(url: URL): string {
  const variable = proxyVariable(url)
  const unused = variable ?? allProxyVariable(url)
  if (unused === undefined) return ''
  const settings = `NODE_USE_ENV_PROXY=1${variable === undefined ? ' and HTTPS_PROXY' : ''}`
  return ` The environment variable ${unused} is set, and the client does not use it. Set ${settings}, or pass a dispatcher: see npx identity-service-sdk docs proxies-and-tls.`
}

/** Global values that mocks replace. */
interface Mockable {
  /** Node, and every copy of undici, keep the dispatcher of the process here. */
  readonly [dispatcher]?: object
  readonly fetch?: { readonly name?: unknown }
}

const dispatcher = Symbol.for('undici.globalDispatcher.1')

/** Names a mock of this process that the client's own pool does not use. */
export function mockAdvice(): string {
  const { fetch, [dispatcher]: agent } = globalThis as Mockable
  if (/^(?:Mock|Snapshot)Agent$/.test(agent?.constructor.name ?? ''))
    return " The dispatcher of this process is a mock, which the client does not use: pass dispatcher: 'global'."
  // No mock has a mark that all of its versions share, but each replaces the function, whose name is that of Node.
  return fetch?.name === 'fetch'
    ? ''
    : ' The fetch of this process was replaced, as MSW and nock do, and the client does not use it: set SVC_TRANSPORT=fetch.'
}

const testAdvice =
  ' In a test, mocks of fetch and http (MSW, nock) do not apply to the default transport:' +
  " set SVC_TRANSPORT=fetch. For a MockAgent of undici, pass dispatcher: 'global'."

import { isTestRun } from '../../runtime/environment.ts'
import { allProxyVariable, type EnvProxy, proxyVariable } from './env-proxy.ts'
import type { PoolAdvice } from './transport.ts'
import { ProxyFailure } from './tunnel.ts'

/** Explains a failed connection of the client's own pool. */
export const poolAdvice: PoolAdvice = {
  connectFailure: (origin, proxy, thrown, code) =>
    proxy === undefined
      ? `${origin}${code}. Check baseUrl.${unusedProxyAdvice(new URL(origin))}${mockOrTestAdvice()}`
      : `${proxyFailure(origin, proxy, thrown, code)}${mockOrTestAdvice()}`,
}

function proxyFailure(origin: string, { variable, host }: EnvProxy, thrown: unknown, code: string): string {
  const named = `the proxy ${host} of ${variable}`
  if (!(thrown instanceof ProxyFailure)) return `${origin} through ${named}${code}. Check baseUrl.`
  const { status } = thrown
  if (status === undefined) return `${origin}: ${named} failed${code}. Check ${variable}, or list the host in NO_PROXY.`
  const advice =
    status === 407
      ? `It needs a user and a password: ${variable}=http://user:password@host:port.`
      : 'Allow the host there, or list it in NO_PROXY.'
  return `${origin}: ${named} responded with ${status}. ${advice}`
}

/** Names a proxy of the environment that the client does not use. */
function unusedProxyAdvice(url: URL): string {
  const variable = proxyVariable(url)
  const unused = variable ?? allProxyVariable(url)
  if (unused === undefined) return ''
  const settings = `NODE_USE_ENV_PROXY=1${variable === undefined ? ' and HTTPS_PROXY' : ''}`
  return ` The environment variable ${unused} is set, and the client does not use it. Set ${settings}, or pass a dispatcher: see npx identity-service-sdk docs proxies-and-tls.`
}

/** Global values that mocks replace. */
interface Mockable {
  /** undici 8, also that of Node 26, keeps the dispatcher of the process here, and undici 7 in both places. */
  readonly [dispatcher]?: object
  /** Older copies of undici keep it here, and undici 8 puts a wrapper of it here. */
  readonly [legacyDispatcher]?: object
  readonly fetch?: { readonly name?: unknown }
}

const dispatcher = Symbol.for('undici.globalDispatcher.2')
const legacyDispatcher = Symbol.for('undici.globalDispatcher.1')

/** Names a mock of this process that the client's own pool does not use. */
function mockAdvice(): string {
  const { fetch, [legacyDispatcher]: legacyAgent, [dispatcher]: agent = legacyAgent } = globalThis as Mockable
  if (/^(?:Mock|Snapshot)Agent$/.test(agent?.constructor.name ?? ''))
    return " The dispatcher of this process is a mock, which the client does not use: pass dispatcher: 'global'."
  // No mock has a mark that all of its versions share, but each replaces the function, whose name is that of Node.
  return fetch?.name === 'fetch'
    ? ''
    : ' The fetch of this process was replaced, as MSW and nock do, and the client does not use it: set SVC_TRANSPORT=fetch.'
}

const mockOrTestAdvice = () => mockAdvice() || (isTestRun() ? testAdvice : '')

const testAdvice =
  ' In a test, mocks of fetch and http (MSW, nock) do not apply to the default transport:' +
  " set SVC_TRANSPORT=fetch. For a MockAgent of undici, pass dispatcher: 'global'."

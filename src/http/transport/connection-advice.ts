import { isTestRun } from '../../runtime/environment.ts'
import { allProxyVariable, type EnvProxy, proxyVariable } from './env-proxy.ts'
import { ProxyFailure } from './tunnel.ts'

/**
 * Explains a failed connection of the client's own pool.
 *
 * @param code the code of the failure in parentheses, or nothing
 */
export const connectFailure = (origin: string, proxy: EnvProxy | undefined, thrown: unknown, code: string): string =>
  proxy === undefined
    ? `${origin}${code}. Check baseUrl.${unusedProxyAdvice(new URL(origin))}${testAdvice()}`
    : `${proxyFailure(origin, proxy, thrown, code)}${testAdvice()}`

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
  return ` The environment variable ${unused} is set, and the client does not use it. Set ${settings}, or pass a dispatcher: see docs/guides/proxies-and-tls.md in the package.`
}

/** No mock has a mark that all of its versions share, but each replaces `fetch`, whose name is that of Node. */
const testAdvice = () =>
  isTestRun() || globalThis.fetch?.name !== 'fetch'
    ? ' In a test, mocks of fetch and http (MSW, nock) do not apply to the default transport:' +
      " set SVC_TRANSPORT=fetch. For a MockAgent of undici, pass dispatcher: 'global'."
    : ''

import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isEmulatorHost } from '../../runtime/secure-url.ts'

/** The proxy that environment variables select for a host. */
export interface EnvProxy {
  /** The variable that contains its URL. */
  readonly variable: string
  /** Scheme, host and port. */
  readonly origin: string
  /** Host and port, for messages. */
  readonly host: string
  /** The value of `Proxy-Authorization`, if the URL has credentials. */
  readonly authorization: string | undefined
}

/** Whether Node's own `fetch` uses the proxy variables: the last flag decides, then `NODE_USE_ENV_PROXY`. */
export function usesEnvProxy(): boolean {
  const { env, execArgv } = process
  const flags = [...(env.NODE_OPTIONS ?? '').split(/\s+/), ...execArgv]
  const flag = flags.findLast((word) => /^--(?:no-)?use-env-proxy$/.test(word))
  return flag === undefined ? env.NODE_USE_ENV_PROXY === '1' : flag === '--use-env-proxy'
}

/**
 * Returns the variable that selects a proxy for a URL, by the rules of undici's `EnvHttpProxyAgent`, which Node's own
 * `fetch` uses. Loopback hosts and the host of an emulator never have one: `http` is allowed for them because nothing
 * leaves this machine or its containers, and a proxy would read it.
 */
export function proxyVariable(url: URL): string | undefined {
  if (isExempt(url)) return undefined
  const variable = url.protocol === 'https:' ? firstSet('https_proxy', 'HTTPS_PROXY') : undefined
  return variable ?? firstSet('http_proxy', 'HTTP_PROXY')
}

/** The variable that other programs use for every protocol, and Node does not, if it is set. */
export const allProxyVariable = (url: URL): string | undefined =>
  isExempt(url) ? undefined : firstSet('all_proxy', 'ALL_PROXY')

const isExempt = (url: URL) => isEmulatorHost(url.hostname) || isListed(url)

/** The first name that is set hides the second. If it is empty, neither applies. */
function firstSet(lower: string, upper: string): string | undefined {
  const name = process.env[lower] === undefined ? upper : lower
  return process.env[name] ? name : undefined
}

/** Whether `NO_PROXY` lists the host: it is `*`, or contains the domain, for all ports or for one. */
function isListed({ hostname, port, protocol }: URL): boolean {
  const listed = process.env.no_proxy ?? process.env.NO_PROXY ?? ''
  if (listed === '*') return true
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return listed.split(/[\s,]+/).some((entry) => {
    const [, domain = '', onlyPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    return domain !== '' && `.${hostname}`.endsWith(`.${domain}`) && (onlyPort === undefined || onlyPort === ownPort)
  })
}

/**
 * Returns the proxy that the environment selects for a URL, if Node's own `fetch` would use one.
 *
 * @param owner what needs the proxy, for the error
 * @throws {ConfigurationError} the value of the variable is not a URL. Its text is not shown, because it may contain a
 *   password.
 */
export function findEnvProxy(owner: string, url: URL): EnvProxy | undefined {
  const variable = usesEnvProxy() ? proxyVariable(url) : undefined
  if (variable === undefined) return undefined
  const proxy = parseProxy(variable, process.env[variable] as string)
  if (proxy !== undefined) return proxy
  const message = `${owner}: ${variable} is not the URL of a proxy. Write http://host:port or http://user:password@host:port, with https:// if the proxy requires it, or list the host in NO_PROXY.`
  throw new ConfigurationError({ message })
}

function parseProxy(variable: string, text: string): EnvProxy | undefined {
  try {
    const { protocol, origin, host, username, password } = new URL(text)
    if (!/^https?:$/.test(protocol)) return undefined
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    const authorization = user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`
    return { variable, origin, host, authorization }
  } catch {
    // Neither a URL nor an escape sequence. The error would contain the text.
    return undefined
  }
}

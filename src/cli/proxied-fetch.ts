import { isSdkError } from 'identity-service-sdk'
import { type EnvProxy, findEnvProxy } from '../http/transport/env-proxy.ts'
import { tunnelConnector } from '../http/transport/tunnel.ts'
import { CommandFailure } from './failure.ts'
import type { CliContext } from './shell.ts'

/**
 * Returns the proxy that requests to a URL use.
 *
 * @throws {CommandFailure} the variable of the proxy is not a URL
 */
export function proxyFor({ fetch }: Pick<CliContext, 'fetch'>, url: URL): EnvProxy | undefined {
  try {
    return fetch === undefined ? findEnvProxy(url.host, url) : undefined
  } catch (error) {
    throw isSdkError(error) ? new CommandFailure(error.message) : error
  }
}

/** Fetches a URL through the proxy of the environment, if there is one for it. */
export async function proxiedFetch(
  context: Pick<CliContext, 'fetch'>,
  url: string,
  init: RequestInit,
): Promise<Response> {
  const proxy = proxyFor(context, new URL(url))
  if (proxy === undefined) return (context.fetch ?? globalThis.fetch)(url, init)
  // Node's own fetch may not accept a dispatcher of the package.
  const undici = await import('undici')
  const dispatcher = new undici.Agent({ connect: tunnelConnector(undici, proxy) })
  return (undici.fetch as unknown as typeof globalThis.fetch)(url, { ...init, dispatcher } as object)
}

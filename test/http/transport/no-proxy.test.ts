import { EventEmitter } from 'node:events'
import { type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { beforeEach, expect, it, vi } from 'vitest'
import { findEnvProxy } from '../../../src/http/transport/env-proxy.ts'

const host = 'id.example.test'

beforeEach(() => {
  for (const name of ['https_proxy', 'http_proxy', 'HTTP_PROXY', 'NODE_OPTIONS']) vi.stubEnv(name, undefined)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  vi.stubEnv('HTTPS_PROXY', 'http://proxy.test:3128')
})

const lists = ['', '*', host, `.${host}`, `*.${host}`, `${host}.a`, 'example.test', 'ID.Example.Test', 'd.example.test']
const ports = [`${host}:443`, `${host}:80`, `${host}:8443`, 'example.test:8443']
const others = ['a, *', 'other.test example.test', 'other.test,,', '192.0.2.7', '192.0.2.0/24', '[2001:db8::1]']
const targets = [`https://${host}`, `https://${host}:8443`, 'https://192.0.2.7', 'https://[2001:db8::1]']

it.each([...lists, ...ports, ...others])('NO_PROXY=%s has the meaning that it has for undici', (list) => {
  for (const [name, other] of [
    ['NO_PROXY', undefined],
    ['no_proxy', '*'],
  ] as const) {
    vi.stubEnv('NO_PROXY', other)
    vi.stubEnv(name, list)
    const found = targets.map((url) => findEnvProxy('test', new URL(url)) !== undefined)

    expect(found).toEqual(targets.map(undiciUsesProxy))
  }
})

/** Whether undici's agent sends a request through the proxy. */
function undiciUsesProxy(origin: string): boolean {
  const sent: Dispatcher.DispatchOptions[] = []
  const pool = Object.assign(new EventEmitter(), {
    dispatch: (options: Dispatcher.DispatchOptions) => sent.push(options) > 0,
  })
  const agent = new EnvHttpProxyAgent({ factory: () => pool as unknown as Dispatcher })
  agent.dispatch({ origin, path: '/', method: 'GET', headers: {} }, {} as Dispatcher.DispatchHandler)
  // Its agent for a proxy adds the header `host`.
  return 'host' in (sent[0]?.headers ?? {})
}

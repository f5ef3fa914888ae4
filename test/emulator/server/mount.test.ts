import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { ConfigurationError } from '../../../src/index.ts'
import { apiKey, inProcess } from '../support/service.ts'

const site = 'http://localhost:3000'

const mounted = (path = '/identity') => {
  const { emulator } = inProcess()
  return { emulator, fetch: emulator.mount(path) }
}

const json = (path: string, body?: object, headers: Record<string, string> = apiKey) =>
  new Request(site + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

it.each(['/identity', '/identity/', '/a/b'])('serves the service below %s, with addresses there', async (path) => {
  const prefix = path.replace(/\/$/, '')
  const { fetch } = mounted(path)

  const { data } = JSON.parse(await (await fetch(json(`${prefix}/api/v2/session`, {}))).text())

  expect(data.url).toMatch(`${site}${prefix}/s/`)
  expect((await fetch(data.url)).status).toBe(200)
  const configuration = await fetch(`${site}${prefix}/api/auth/oidc/.well-known/openid-configuration`)
  if (configuration.ok) expect(JSON.parse(await configuration.text()).issuer).toBe(site + prefix)
})

it.each(['/api/v2/session', '/_emulator', '/_emulator/api/sessions', '/', '/identity2/api/v2/session'])(
  'responds with 404 to a request that is not below the path: %s',
  async (path) => {
    const { fetch } = mounted()

    expect((await fetch(json(path, undefined, { accept: 'text/html' }))).status).toBe(404)
  },
)

it('addresses start with the origin of each request', async () => {
  const { fetch } = mounted()
  const init = { method: 'POST', headers: { ...apiKey, 'content-type': 'application/json' }, body: '{}' }
  const request = new Request('https://app.example/identity/api/v2/session', init)

  expect(JSON.parse(await (await fetch(request)).text()).data.url).toMatch('https://app.example/identity/s/')
})

it('the control API is below the path', async () => {
  const { emulator, fetch } = mounted()

  expect((await fetch(`${site}/identity/_emulator/health`)).status).toBe(200)
  expect((await fetch(json('/identity/_emulator/api/clock/advance', { ms: 60_000 }))).status).toBe(200)
  expect(emulator.requests).toEqual([])
})

it('the control API below the path accepts requests to loopback hosts only, and none of other sites', async () => {
  const { fetch } = mounted()
  const foreign = { origin: 'https://other.example' }

  expect((await fetch('https://app.example/identity/_emulator/api/sessions')).status).toBe(403)
  expect((await fetch(json('/identity/_emulator/api/reset', {}, foreign))).status).toBe(403)
})

it('rules depend on the host of the request, not on that of the base URL', async () => {
  const at = createEmulator().at('http://127.0.0.1:4010/identity')

  expect((await at('http://192.0.2.1/identity/_emulator/api/sessions')).status).toBe(403)
  expect((await at('http://127.0.0.1:1/identity/_emulator/api/sessions')).status).toBe(200)
})

it('the links, forms and redirects of the console stay below the path', async () => {
  const { fetch } = mounted()
  const start = await fetch(new Request(`${site}/identity/`, { headers: { accept: 'text/html' } }))
  expect(start.headers.get('location')).toBe('/identity/_emulator')

  const pages = ['']
  const paths = new Set<string>()
  for (const page of pages) {
    const text = await (await fetch(`${site}/identity/_emulator${page}`)).text()
    for (const [, path = ''] of text.matchAll(/(?:href|action|data-stream)="(\/[^"]*)"/g)) {
      paths.add(path)
      const next = path.replace('/identity/_emulator', '')
      if (text.includes(`href="${path}"`) && !pages.includes(next)) pages.push(next)
    }
  }
  const reset = new Request(`${site}/identity/_emulator/emulator.reset`, { method: 'POST', redirect: 'manual' })

  expect(pages.length).toBeGreaterThan(8)
  expect([...paths].filter((path) => !path.startsWith('/identity/_emulator'))).toEqual([])
  expect((await fetch(reset)).headers.get('location')).toBe('/identity/_emulator')
  const foreign = new Request(reset.url, { method: 'POST', headers: { origin: 'https://other.example' } })
  expect((await fetch(foreign)).status).toBe(403)
})

it.each(['identity', '', '/identity?a', '/identity#a'])('rejects the path %j', (path) => {
  expect(() => createEmulator().mount(path)).toThrow(ConfigurationError)
})

it('serves a request of srvx, whose signal is aborted when its body was read', async () => {
  const emulator = createEmulator()
  const { apiKey } = emulator.options.verification
  const ways = [
    ['', emulator.fetch],
    ['/emulator', emulator.mount('/emulator')],
  ] as const
  for (const [path, handle] of ways) {
    const controller = new AbortController()
    const body = new ReadableStream<Uint8Array>(
      {
        pull(stream) {
          stream.enqueue(new TextEncoder().encode('{"dob":"1990-12-10","bands":[18]}'))
          stream.close()
          controller.abort()
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body, duplex: 'half' as const, signal: controller.signal }
    const request = new Request(`http://127.0.0.1${path}/api/v2/age-verification`, init)

    const response = await handle(Object.assign(request, { runtime: { name: 'node' } }))

    expect(response.status).toBe(200)
  }
})

import { expect, it, vi } from 'vitest'
import { environment, isNode } from '../../src/runtime/environment.ts'

it('reads an environment variable, and treats an empty one as missing', () => {
  vi.stubEnv('SVC_TEST', 'value')
  vi.stubEnv('SVC_EMPTY', '')

  expect([environment('SVC_TEST'), environment('SVC_EMPTY'), environment('SVC_NONE')]).toEqual([
    'value',
    undefined,
    undefined,
  ])
})

it('treats a variable as missing if the platform does not permit to read it', () => {
  const denied = new Proxy(
    {},
    {
      get: () => {
        throw new Error('NotCapable')
      },
    },
  )
  vi.stubGlobal('process', { env: denied })

  expect(environment('SVC_TEST')).toBeUndefined()
})

it('treats a variable as missing if the platform has no process', () => {
  vi.stubGlobal('process', undefined)

  expect(environment('SVC_TEST')).toBeUndefined()
})

it.each([
  ['20.18.3', false],
  ['20.19.0', true],
  ['21.7.3', false],
  ['22.12.0', false],
  ['22.13.0', true],
  ['23.5.0', true],
  ['24.0.0', true],
])('supports the lines of Node that engines of package.json names: %s', async (node, isSupported) => {
  vi.stubGlobal('process', { versions: { node } })
  vi.resetModules()
  const { nodeVersionFault } = await import('../../src/runtime/environment.ts')
  vi.unstubAllGlobals()

  expect(nodeVersionFault).toBe(isSupported ? undefined : `Node 20.19, or 22.13 or newer, is required, this is ${node}`)
})

it.each([
  ['Node 20', { process: { versions: { node: '20.19.0' } }, navigator: undefined }, true],
  ['Node 22', { process: { versions: { node: '22.12.0' } }, navigator: { userAgent: 'Node.js/22' } }, true],
  ['Bun', { process: { versions: { node: '24.0.0', bun: '1.3.0' } }, navigator: { userAgent: 'Bun' } }, false],
  ['Deno', { process: { versions: { node: '24.0.0', deno: '2.5.0' } }, navigator: {} }, false],
  [
    'a Worker with Node compatibility',
    { process: { versions: { node: '22.0.0' } }, navigator: { userAgent: 'Cloudflare-Workers' } },
    false,
  ],
  ['a process without versions', { process: {}, navigator: undefined }, false],
  ['a browser', { process: undefined, navigator: { userAgent: 'Mozilla/5.0' } }, false],
])('distinguishes Node from platforms that imitate it: %s', (_, globals, expected) => {
  vi.stubGlobal('process', globals.process)
  vi.stubGlobal('navigator', globals.navigator)
  const found = isNode()
  vi.unstubAllGlobals()

  expect(found).toBe(expected)
})

import { execFile } from 'node:child_process'
import { mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { only, type Platform, rulesFor, type Seen } from '../runtimes/rules.ts'
import { type World, world } from '../runtimes/world.ts'
import { type Service, startService } from '../support/service-process.ts'
import { freePort } from '../support/free-port.ts'
import { describeWith, requireBinary } from '../support/programs.ts'

const onNode: Platform = {
  userAgent: /^Node\.js\/2\d/,
  transport: 'undici',
  hasFiles: true,
  tellsRefusedConnections: true,
  tellsLengthOfStreams: true,
}

const routes = [
  ['node', onNode],
  ['edge', { ...onNode, userAgent: /^edge-runtime$/, transport: 'fetch', hasFiles: false }],
] as const

describeWith('next', 'that the package works in route handlers of Next.js', () => {
  let around: World
  let server: Service

  beforeAll(async () => {
    around = await world()
    const packages = fileURLToPath(new URL('../../examples/next/node_modules/', import.meta.url))
    for (const name of ['next', 'react', 'react-dom'])
      await symlink(packages + name, join(around.project, 'node_modules', name))
    vi.stubEnv('NODE_ENV', 'production')
    vi.stubEnv('NEXT_TELEMETRY_DISABLED', '1')
    vi.stubEnv('SETTINGS', JSON.stringify(around.settings))
    const app = join(around.project, 'next')
    await promisify(execFile)(requireBinary('next'), ['build', app])
    server = await startNext(app)
  }, 400_000)

  afterAll(async () => {
    await server?.remove()
    await around.remove()
  })

  describe.each(routes)('%s', (route, platform) => {
    let seen: Seen

    beforeAll(async () => {
      seen = (await (await fetch(`${server.url}/${route}`)).json()) as Seen
    })

    it.each(rulesFor(platform))('%s', (_, expected) => {
      expect(only(expected, seen)).toEqual(expected)
    })
  })
})

async function startNext(app: string): Promise<Service> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return startService({
    command: requireBinary('next'),
    args: ['start', '--hostname', '127.0.0.1', '--port', String(port), app],
    port,
    url,
    folder: await mkdtemp(join(tmpdir(), 'next-')),
    ready: () => fetch(url),
  })
}

import { execFile } from 'node:child_process'
import { mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { only, type Platform, type Report, rulesFor } from '../runtimes/rules.ts'
import { createTestProject, type TestProject } from '../runtimes/test-project.ts'
import { freePort } from '../support/free-port.ts'
import { describeWith, requireBinary } from '../support/programs.ts'
import { type Service, startService } from '../support/service-process.ts'

const onNode: Platform = {
  userAgent: /^Node\.js\/2\d/,
  transport: 'undici',
  hasFiles: true,
  reportsRefusedConnections: true,
  sendsLengthOfStreams: true,
}

const routes = [
  ['node', onNode],
  ['edge', { ...onNode, userAgent: /^edge-runtime$/, transport: 'fetch', hasFiles: false }],
] as const

describeWith('next', 'that the package works in route handlers of Next.js', () => {
  let project: TestProject
  let server: Service

  beforeAll(async () => {
    project = await createTestProject()
    const packages = fileURLToPath(new URL('../../examples/next/node_modules/', import.meta.url))
    for (const name of ['next', 'react', 'react-dom'])
      await symlink(packages + name, join(project.folder, 'node_modules', name))
    vi.stubEnv('NODE_ENV', 'production')
    vi.stubEnv('NEXT_TELEMETRY_DISABLED', '1')
    vi.stubEnv('SETTINGS', JSON.stringify(project.settings))
    const app = join(project.folder, 'next')
    await promisify(execFile)(requireBinary('next'), ['build', app])
    server = await startNext(app)
  }, 400_000)

  afterAll(async () => {
    await server?.remove()
    await project.remove()
  })

  describe.each(routes)('%s', (route, platform) => {
    let report: Report

    beforeAll(async () => {
      report = (await (await fetch(`${server.url}/${route}`)).json()) as Report
    })

    it.each(rulesFor(platform))('%s', (_, expected) => {
      expect(only(expected, report)).toEqual(expected)
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

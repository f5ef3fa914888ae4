import { execFile } from 'node:child_process'
import { cp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulator, type Emulator, type EmulatorServer } from '../../src/emulator.ts'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { describeWith, requireBinary } from '../support/programs.ts'
import { imageBytes } from './program/image.mjs'

describeWith(['node-24', 'node-26'], "what the package needs under Node's permission model", () => {
  let installed: InstalledPackage
  let emulator: Emulator
  let server: EmulatorServer
  let project: string

  beforeAll(async () => {
    emulator = createEmulator()
    server = await emulator.listen()
    installed = await installPackage()
    project = await realpath(installed.project)
    // Only the folder of the project is allowed, and links would lead out of it.
    for (const name of ['undici', 'jose']) {
      const link = join(project, 'node_modules', name)
      const folder = await realpath(link)
      await rm(link)
      await cp(folder, link, { recursive: true })
    }
    await writeFile(join(project, 'image.jpg'), imageBytes())
    await writeFile(join(project, 'people.csv'), 'email\nada@example.com\n')
    const program = await readFile(new URL('permissions.mjs', import.meta.url))
    await writeFile(join(project, 'permissions.mjs'), program)
  }, 60_000)

  afterAll(async () => {
    await server.close()
    await installed.remove()
  })

  /** Runs a file of the project with the permission to read the project, and with other flags. */
  function runWith(node: 'node-24' | 'node-26', flags: readonly string[], args: readonly string[], env = {}) {
    const all = ['--permission', `--allow-fs-read=${project}/`, ...flags, ...args]
    const { NODE_OPTIONS: _, ...inherited } = process.env
    return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
      const options = { cwd: project, env: { ...inherited, ...env } }
      execFile(requireBinary(node), all, options, (error, stdout, stderr) =>
        resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
      )
    })
  }

  const programArgs = (image = join(project, 'image.jpg')) => [
    'permissions.mjs',
    server.url,
    emulator.options.verification.apiKey,
    image,
  ]

  const works = {
    call: 0,
    fetch: 0,
    image: 'passed',
    keys: { reason: 'key_not_found' },
    webhook: 200,
    emulator: 0,
    listen: 'listened',
  }

  it.each([
    ['node-24', []],
    ['node-26', ['--allow-net']],
  ] as const)('%s: everything works with --allow-fs-read of the project and %j', async (node, flags) => {
    const { stdout, stderr } = await runWith(node, flags, programArgs())

    expect(stdout === '' ? stderr : JSON.parse(stdout)).toEqual(works)
  })

  it('node-26: without --allow-net, what needs the network names the flag, and sends nothing', async () => {
    const requests = emulator.requests.length
    const { stdout } = await runWith('node-26', [], programArgs())

    const to = `Node's permission model forbids the connection to ${server.url} (ERR_ACCESS_DENIED). Start node with --allow-net.`
    expect(JSON.parse(stdout)).toEqual({
      ...works,
      call: `ConfigurationError: sessions.list: ${to}`,
      fetch: `ConfigurationError: sessions.list: ${to}`,
      image: `ConfigurationError: checks.liveness: ${to}`,
      keys: { reason: 'keys_unavailable', cause: expect.stringContaining(to) },
      listen:
        "ConfigurationError: emulator.listen: Node's permission model forbids servers. Start node with --allow-net.",
    })
    expect(emulator.requests).toHaveLength(requests)
  })

  it.each(['node-24', 'node-26'] as const)('%s: an image that may not be read names the flag', async (node) => {
    const flags = node === 'node-26' ? ['--allow-net'] : []
    const { stdout } = await runWith(node, flags, programArgs('/etc/hostname'))

    expect(JSON.parse(stdout).image).toBe(
      "InvalidParamsError: checks.liveness: image could not be opened (ERR_ACCESS_DENIED): Node's permission model forbids it. Start node with --allow-fs-read for its folder",
    )
  })

  it('node-26: without --allow-net, a call through a proxy names the flag too', async () => {
    const env = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '' }
    const args = ['permissions.mjs', 'https://id.example.test', 'key', '']
    const { stdout } = await runWith('node-26', [], args, env)

    expect(JSON.parse(stdout).call).toMatch(/^ConfigurationError: .* Start node with --allow-net\.$/)
  })

  it.each([
    ['node-24', []],
    ['node-26', ['--allow-net']],
  ] as const)('%s: commands work, unless they write files, and name the flags that they need', async (node, flags) => {
    const cli = join(project, 'node_modules/identity-service-sdk/dist/cli.js')
    const { org } = emulator.options
    const env = {
      SVC_ORG_BASE_URL: server.url,
      SVC_CLIENT_ID: org.clientId,
      SVC_CLIENT_SECRET: org.clientSecret,
    }
    const run = (more: readonly string[], ...args: readonly string[]) =>
      runWith(node, [...flags, ...more], [cli, ...args], env)
    const planPeople = ['members', 'sync', 'people.csv', '--out', 'plan.json']
    const execute = ['dev', '--port', '0', '--', 'true']

    expect((await run([], 'members', 'export')).status).toBe(0)
    expect(await run([`--allow-fs-write=${project}/`], ...planPeople)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'plan.json cannot be written: fchmod API is disabled when Permission Model is enabled.',
      ),
    })
    expect((await run([], ...execute)).stderr).toContain(
      "error: Node's permission model forbids this (ERR_ACCESS_DENIED). Start node with --allow-child-process.",
    )
    expect((await run(['--allow-child-process'], ...execute)).status).toBe(0)
  })
})

// Runs the steps of .github/workflows/release.yml with a registry on this machine, then installs from it as users do. Only
// with `-- --all`.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, copyFile, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { runtimePath } from '../runtimes/binaries.ts'
import { ofYarn, yarnPnp } from './kinds.ts'
import { type Project, Projects, tool } from './project.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const projects = new Projects()
let registry: { readonly url: string; readonly process: ChildProcess }
let tarball: string
/** What publishing ends with where no workflow proves who publishes. */
let withoutIdentity: unknown

beforeAll(async () => {
  tarball = await (await fetch(inject('packingUrl'))).text()
  registry = await startRegistry(await projects.empty())
  const job = await jobWithTarball()
  withoutIdentity = await runStep(job, 'Publish the tarball').catch((thrown: unknown) => thrown)
  await runStep(job, 'Publish the tarball', {}, { 'npm publish': 'npm publish --provenance=false' })
}, 300_000)

afterAll(async () => {
  registry?.process.kill()
  await projects.remove()
})

/** Starts a registry that has what npm's has, and what is published to it. */
async function startRegistry(project: Project) {
  const manifest = {
    private: true,
    dependencies: { verdaccio: '6.10.4' },
    // It asks for a tag, which not every registry has.
    overrides: { 'node-fetch': '2.7.0' },
  }
  const setting = async (key: string) => (await project.run('npm', ['config', 'get', key])).trim()
  const [url, ca] = [await setting('registry'), await setting('cafile')]
  await project.write({
    'package.json': JSON.stringify(manifest),
    'config.yaml': JSON.stringify({
      storage: './storage',
      uplinks: { npm: { url } },
      packages: {
        'identity-service-sdk': { access: '$all', publish: '$all' },
        '**': { access: '$all', proxy: 'npm' },
      },
      log: { type: 'stdout', level: 'fatal' },
    }),
  })
  await project.run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  const port = await freePort()
  const program = join(project.folder, 'node_modules/verdaccio/bin/verdaccio')
  const child = spawn(runtimePath('node-24'), [program, '--config', 'config.yaml', '--listen', `127.0.0.1:${port}`], {
    cwd: project.folder,
    env: { ...process.env, ...(ca !== 'null' && { NODE_EXTRA_CA_CERTS: ca }) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  // Its first message is that it listens.
  await Promise.race([once(child, 'message'), once(child, 'exit').then(() => expect.fail('the registry ended'))])
  return { url: `http://127.0.0.1:${port}`, process: child }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/**
 * Settings of all installers for the registry on this machine. By default, Yarn, pnpm and Deno do not install what is
 * younger than a day.
 */
const ofRegistry = () => ({
  npm_config_loglevel: 'error',
  npm_config_registry: `${registry.url}/`,
  pnpm_config_registry: `${registry.url}/`,
  pnpm_config_minimum_release_age: '0',
  NPM_CONFIG_REGISTRY: `${registry.url}/`,
  YARN_NPM_REGISTRY_SERVER: registry.url,
  YARN_NPM_MINIMAL_AGE_GATE: '0',
  YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
})

/** A job of the workflow that has downloaded the tarball. */
async function jobWithTarball() {
  const job = await projects.empty()
  await copyFile(tarball, join(job.folder, 'package.tgz'))
  return job
}

/** Runs a step of the workflow in the folder of its job, as GitHub does. */
async function runStep(
  job: Project,
  name: string,
  env: Readonly<Record<string, string>> = {},
  changes: Readonly<Record<string, string>> = {},
) {
  const workflow = await readFile(join(root, '.github/workflows/release.yml'), 'utf8')
  const step = workflow.split(/^ {6}- /m).find((text) => text.startsWith(`name: ${name}\n`)) ?? ''
  const [, block, line] = /^ {8}run: (?:\|\n((?: {10}.*\n)+)|(.+))/m.exec(step) ?? []
  let script = block ?? line ?? expect.fail(`the workflow has no step ${name}`)
  for (const [from, to] of Object.entries(changes)) script = script.replace(from, to)
  const token = { [`npm_config_//${new URL(registry.url).host}/:_authToken`]: 'token' }
  const programs = { PATH: `${job.folder}/bin${delimiter}${process.env.PATH}` }
  return job.run('bash', ['-e', '-c', script], { ...ofRegistry(), ...token, ...programs, ...env })
}

const version = async () => JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version as string

it('a version that the registry has is not published again', async () => {
  const outputOf = async (manifest: object) => {
    const job = await projects.empty()
    await job.write({ 'package.json': JSON.stringify(manifest), output: '' })
    const path = join(job.folder, 'output')
    await runStep(job, 'Compare the version with the registry', { GITHUB_OUTPUT: path })
    return readFile(path, 'utf8')
  }
  const name = 'identity-service-sdk'

  expect(await outputOf({ name, version: await version() })).toBe('')
  expect(await outputOf({ name, version: '9.9.9' })).toBe('publish=true\n')
})

it('a tarball with other bytes is not published', async () => {
  const job = await jobWithTarball()
  const compare = (SHA256: string) => runStep(job, 'Compare the tarball with the build without tests', { SHA256 })
  await compare(
    createHash('sha256')
      .update(await readFile(tarball))
      .digest('hex'),
  )

  await expect(compare('0'.repeat(64))).rejects.toThrow('did NOT match')
})

it('a release has provenance, or is not published', () => {
  expect(withoutIdentity).toMatchObject({ message: expect.stringMatching(/provenance generation/i) })
})

it('the notes of a release are the newest section of the changelog', async () => {
  const job = await jobWithTarball()
  await job.write({ 'bin/gh': '#!/bin/sh\necho "$@"\ncat notes.md\n' })
  await chmod(join(job.folder, 'bin/gh'), 0o755)

  const printed = await runStep(job, 'Create the release', { GITHUB_REPOSITORY: 'owner/name', GITHUB_SHA: 'commit' })

  expect(printed).toContain(`release create v${await version()} ./package.tgz --repo owner/name --target commit`)
  expect([...printed.matchAll(/^## .+$/gm)].map(([line]) => line)).toEqual([`## ${await version()}`])
})

const firstCall = `
import { VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'

const emulator = createEmulator()
const server = await emulator.listen()
const client = new VerificationClient({ baseUrl: server.url, apiKey: emulator.options.verification.apiKey })
console.log((await client.sessions.create({ workflow_id: 'wf_identity' })).status)
await client.close()
await server.close()
`

/** How each installer adds the newest release, and how its users run a program. */
const installers: Readonly<Record<string, (project: Project) => Promise<string>>> = {
  ...Object.fromEntries(
    (['node-20', 'node-22', 'node-24', 'node-26'] as const).map((runtime) => [
      `npm, ${runtime}`,
      async (project: Project) => {
        await project.run('npm', ['install', '--no-audit', '--no-fund', 'identity-service-sdk'], ofRegistry())
        return project.run(runtimePath(runtime), ['first.mjs'])
      },
    ]),
  ),
  pnpm: async (project) => {
    const store = { pnpm_config_store_dir: join(project.folder, '.store') }
    const add = [tool('pnpm/bin/pnpm.mjs'), 'add', 'identity-service-sdk']
    await project.run(process.execPath, add, { ...ofRegistry(), ...store })
    return project.run(process.execPath, ['first.mjs'])
  },
  'Yarn, node_modules': (project) => yarn(project, `nodeLinker: node-modules\n${ofYarn}`),
  'Yarn, PnP': (project) => yarn(project, yarnPnp),
  Bun: async (project) => {
    const cache = { BUN_INSTALL_CACHE_DIR: join(project.folder, '.cache') }
    await project.run(runtimePath('bun'), ['add', 'identity-service-sdk'], { ...ofRegistry(), ...cache })
    return project.run(runtimePath('bun'), ['first.mjs'])
  },
  Deno: async (project) => {
    const env = { ...ofRegistry(), DENO_DIR: join(project.folder, '.cache'), DENO_NO_UPDATE_CHECK: '1' }
    await project.run(runtimePath('deno'), ['add', '--minimum-dependency-age=0', 'npm:identity-service-sdk'], env)
    return project.run(runtimePath('deno'), ['run', '--allow-all', 'first.mjs'], env)
  },
}

async function yarn(project: Project, settings: string) {
  await project.write({ '.yarnrc.yml': settings, 'yarn.lock': '' })
  const program = tool('@yarnpkg/cli-dist/bin/yarn.js')
  await project.run(process.execPath, [program, 'add', 'identity-service-sdk'], ofRegistry())
  return project.run(process.execPath, [program, 'node', 'first.mjs'], ofRegistry())
}

it.each(Object.entries(installers))('a release from the registry makes its first call: %s', async (_, firstRun) => {
  const project = await projects.empty()
  await project.write({ 'package.json': JSON.stringify({ name: 'app', private: true }), 'first.mjs': firstCall })

  expect(await firstRun(project)).toContain('NOT_STARTED\n')
})

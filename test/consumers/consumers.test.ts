import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'
import { compile, compilers, kinds, managers, yarnPnp } from './kinds.ts'
import { type Project, Projects, tool } from './project.ts'

const guide = documentedCode('docs/guides/runtimes.md', { runsAllBlocks: false })
const projects = new Projects()
let installed: Project
let tarball: string
const table = new Map<string, Record<string, string>>()

beforeAll(async () => {
  tarball = await (await fetch(inject('packingUrl'))).text()
  installed = await projects.install(tarball)
})

afterAll(async () => {
  const rows = [...table].map(([name, results]) => {
    const failed = Object.entries(results).filter(([, result]) => result !== 'ok')
    const cells = failed.length === 0 ? 'every step' : failed.map(([step, result]) => `${step}: ${result}`).join('; ')
    return `| ${name} | ${Object.keys(results).length - failed.length} | ${cells} |`
  })
  console.log(['| kind of project | steps | result |', '| --- | --- | --- |', ...rows].join('\n'))
  await projects.remove()
})

it('an install adds the package, undici and jose, and nothing else', async () => {
  const project = await projects.empty()
  await project.write({ 'package.json': JSON.stringify({ name: 'consumer', private: true }) })
  await project.run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball])

  const { packages } = JSON.parse(await readFile(join(project.folder, 'node_modules/.package-lock.json'), 'utf8'))

  expect(Object.keys(packages).sort()).toEqual([
    'node_modules/identity-service-sdk',
    'node_modules/jose',
    'node_modules/undici',
  ])
})

const throughMsw = `
import { setupServer } from 'msw/node'
import { VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { mswHandlers } from 'identity-service-sdk/msw'

const baseUrl = 'https://id.example.com'
const emulator = createEmulator()
setupServer(...mswHandlers(emulator, { baseUrl })).listen()
const { apiKey } = emulator.options.verification
const client = new VerificationClient({ baseUrl, apiKey, fetch: globalThis.fetch })
console.log((await client.sessions.create({})).status)
`

it('the msw of the tests is used, and not installed in production', async () => {
  const project = await projects.empty()
  const dependencies = { 'identity-service-sdk': `file:${tarball}` }
  const manifest = { name: 'consumer', private: true, dependencies, devDependencies: { msw: '2.15.0' } }
  await project.write({ 'package.json': JSON.stringify(manifest), 'test.mjs': throughMsw })
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']

  await project.run('npm', ['install', ...flags])
  expect(await project.run(process.execPath, ['test.mjs'])).toBe('NOT_STARTED\n')
  await project.run('npm', ['ci', '--omit=dev', ...flags])
  const installedNames = await readdir(join(project.folder, 'node_modules'))

  expect(installedNames.filter((name) => !name.startsWith('.'))).toEqual(['identity-service-sdk', 'jose', 'undici'])
})

it('a workspace of Yarn PnP finds its msw with the line of docs/guides/testing.md', async () => {
  const page = await readFile(new URL('../../docs/guides/testing.md', import.meta.url), 'utf8')
  const [, line] = /`(packageExtensions: .+)`/.exec(page) ?? []
  const project = await projects.empty()
  const dependencies = { 'identity-service-sdk': `file:${tarball}`, msw: '2.15.0' }
  await project.write({
    'package.json': JSON.stringify({ name: 'workspaces', private: true, workspaces: ['app'] }),
    'app/package.json': JSON.stringify({ name: 'app', private: true, dependencies }),
    'app/test.mjs': throughMsw,
    '.yarnrc.yml': `${yarnPnp}${line}\n`,
    'yarn.lock': '',
  })
  const yarn = tool('@yarnpkg/cli-dist/bin/yarn.js')

  await project.run(process.execPath, [yarn, 'install'])

  expect(await project.run(process.execPath, [yarn, 'node', 'app/test.mjs'])).toContain('NOT_STARTED\n')
})

/** The newest majors that were tried. At night it is whatever the registry has. */
const newestPeers = {
  '@opentelemetry/api': '1.10.0',
  express: '5.3.0',
  fastify: '5.12.8',
  ioredis: '6.0.0',
  pg: '8.23.1',
  redis: '6.3.1',
}

it('the newest major of each peer is tried', async () => {
  const { peerDependencies } = JSON.parse(
    await readFile(join(installed.folder, 'node_modules/identity-service-sdk/package.json'), 'utf8'),
  )

  expect(Object.keys(newestPeers)).toEqual(Object.keys(peerDependencies))
})

it.each(managers.flatMap((manager) => [true, false].map((isFirst) => ({ ...manager, isFirst }))))(
  '$name installs the newest major of every peer, with the package first: $isFirst',
  async ({ add, warning, isFirst }) => {
    const project = await projects.empty()
    await project.write({ 'package.json': JSON.stringify({ name: 'consumer', private: true }) })
    const peers = Object.entries(newestPeers).map(
      ([name, version]) => `${name}@${process.env.WHOLE ? 'latest' : version}`,
    )
    const own = [`identity-service-sdk@file:${tarball}`]

    const printed: string[] = []
    for (const packages of isFirst ? [own, peers] : [peers, own]) printed.push(await add(project, packages))

    expect(printed.join('\n')).not.toMatch(warning)
  },
)

it.each(kinds)(
  'every step works with $name',
  async ({ name, without, steps = without === undefined ? 11 : 10, run }) => {
    const project = await projects.copyOf(installed)
    const report = join(project.folder, 'report.json')
    table.set(name, { start: 'failed' })
    try {
      await run(project, { CONSUMER_REPORT: report, TARBALL: tarball })
    } finally {
      const results = await readFile(report, 'utf8').catch(() => undefined)
      if (results !== undefined) table.set(name, JSON.parse(results))
    }

    const results = table.get(name) ?? {}
    expect(results).toEqual(Object.fromEntries(Object.keys(results).map((step) => [step, 'ok'])))
    expect(Object.keys(results)).toHaveLength(steps)
  },
)

it('the Jest sample of docs/guides/runtimes.md passes in a project whose Jest uses jsdom', async () => {
  const sample = guide.code('Jest')
  const project = await projects.copyOf(installed)
  for (const name of ['jest-environment-jsdom', 'ts-jest', 'typescript', '@jest/globals']) await project.link(name)
  await project.write({
    'jest.config.json': JSON.stringify({ preset: 'ts-jest', testEnvironment: 'jsdom', watchman: false }),
    'sample.test.ts': sample,
    'in-jsdom.test.ts': sample.replace(/^.*jest-environment node.*$/m, ''),
  })

  const jest = [tool('jest/bin/jest.js'), '--ci']

  expect(await project.run(process.execPath, [...jest, 'sample.test.ts'])).toContain('1 passed')
  await expect(project.run(process.execPath, [...jest, 'in-jsdom.test.ts'])).rejects.toThrow('@jest-environment node')
})

it.each(compilers)('the types compile with $name, from CommonJS', async (compiler) => {
  expect(await compile(await projects.copyOf(installed), compiler)).toBe('')
})

import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { type RuntimeName, runtimePath } from '../runtimes/binaries.ts'
import { type CompilerName, compilerPath } from '../types/compilers.ts'
import { asProgram, asTest, type Project, scenario, tool } from './project.ts'

/** A kind of project that runs the scenario. */
export interface Kind {
  /** As docs/guides/runtimes.md calls it. */
  readonly name: string
  /** A step that cannot run there, or that such a project does not have. */
  readonly without?: 'express' | undefined
  /** How many steps its own program has, if it cannot run the scenario. */
  readonly steps?: number
  /**
   * Builds and runs the scenario in a project that has the package.
   *
   * @param env names the file of the results
   */
  run(project: Project, env: Readonly<Record<string, string>>): Promise<void>
}

const node = (project: Project, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> =>
  project.run(process.execPath, args, env)

/** Runs the scenario as a script, on a runtime and with its arguments. */
function script(
  name: string,
  file: 'scenario.mjs' | 'scenario.cjs',
  args: readonly string[] = [],
  { runtime, links = [], env: settings = {}, without }: ScriptOptions = {},
): Kind {
  return {
    name,
    without,
    async run(project, env) {
      await project.link(...links)
      const program = await scenario(file.endsWith('mjs') ? 'esm' : 'cjs', asProgram, without)
      await project.write({ [file]: program })
      const path = runtime === undefined ? process.execPath : runtimePath(runtime)
      await project.run(path, [...args, file], { ...settings, ...env })
    },
  }
}

interface ScriptOptions {
  readonly runtime?: RuntimeName
  /** Packages that the arguments name. */
  readonly links?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly without?: 'express'
}

/** Runs the scenario as a test, with Jest. */
function jest(
  name: string,
  file: string,
  { bin = 'jest/bin/jest.js', links = [], config = {}, args = [] }: JestOptions = {},
): Kind {
  return {
    name,
    async run(project, env) {
      await project.link('@types', ...links)
      const format = file.endsWith('.ts') ? 'ts' : file.endsWith('.mjs') ? 'esm' : 'cjs'
      const settings = { testMatch: [`**/${file}`], watchman: false, ...config }
      await project.write({
        'jest.config.json': JSON.stringify(settings),
        'tsconfig.json': JSON.stringify({ compilerOptions: commonJs }),
        [file]: await scenario(format, asTest),
      })
      await node(project, [...args, tool(bin), '--ci'], env)
    },
  }
}

interface JestOptions {
  readonly bin?: string
  readonly links?: readonly string[]
  readonly config?: object
  /** Arguments of Node. */
  readonly args?: readonly string[]
}

/** The settings of most backends that compile to CommonJS. */
const commonJs = {
  target: 'es2022',
  module: 'commonjs',
  esModuleInterop: true,
  strict: true,
  types: ['node', 'jest'],
}

/** Runs the scenario as a test, with another runner. */
function runner(
  name: string,
  file: string,
  test: string,
  args: readonly string[],
  links: readonly string[] = [],
): Kind {
  return {
    name,
    async run(project, env) {
      await project.link(...links)
      await project.write({ [file]: await scenario(file.endsWith('.cjs') ? 'cjs' : 'esm', test) })
      await node(project, args, env)
    },
  }
}

/** Runs the scenario as TypeScript, in a project whose `package.json` has no type. */
function typeScript(
  name: string,
  run: (project: Project, env: Readonly<Record<string, string>>) => Promise<unknown>,
): Kind {
  return {
    name,
    async run(project, env) {
      await project.link('@types', 'typescript')
      const compilerOptions = { ...commonJs, types: ['node'], outDir: 'out', skipLibCheck: false }
      await project.write({
        'tsconfig.json': JSON.stringify({ compilerOptions, files: ['scenario.ts'] }),
        'scenario.ts': await scenario('ts', asProgram),
      })
      await run(project, env)
    },
  }
}

/** Bundles the scenario, and runs the bundle where no `node_modules` is in reach. */
function bundle(
  name: string,
  build: (project: Project) => Promise<unknown>,
  { file = 'out/bundle.cjs', packages = [] }: { file?: string; packages?: readonly string[] } = {},
): Kind {
  return {
    name,
    async run(project, env) {
      await project.write({ 'scenario.mjs': await scenario('esm', asProgram) })
      await build(project)
      const moved = await project.moved(['out'], packages)
      await node(moved, [file], env)
    },
  }
}

const esbuild = (options: BuildOptions) => (project: Project) =>
  build({
    absWorkingDir: project.folder,
    entryPoints: ['scenario.mjs'],
    bundle: true,
    platform: 'node',
    logLevel: 'error',
    ...options,
  })

/** Runs a build in a process of its own. */
const buildScript = (source: string) => async (project: Project) => {
  await project.write({ 'build.mjs': source })
  await node(project, ['build.mjs'], {})
}

const webpack = (settings: string) =>
  buildScript(`
    import { createRequire } from 'node:module'
    const webpack = createRequire(import.meta.url)(${JSON.stringify(tool('webpack'))})
    webpack({
      mode: 'production', target: 'node20', entry: './scenario.mjs',
      output: { path: process.cwd() + '/out', filename: 'bundle.cjs' },
      ${settings}
    }, (error, stats) => {
      if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exitCode = 1 }
    })`)

const rollup = buildScript(`
  import { rollup } from ${JSON.stringify(tool('rollup/dist/es/rollup.js'))}
  import commonjs from ${JSON.stringify(tool('@rollup/plugin-commonjs/dist/es/index.js'))}
  import json from ${JSON.stringify(tool('@rollup/plugin-json/dist/es/index.js'))}
  import resolve from ${JSON.stringify(tool('@rollup/plugin-node-resolve/dist/es/index.js'))}
  const plugins = [resolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs(), json()]
  const bundle = await rollup({ input: 'scenario.mjs', external: ['undici'], plugins, onwarn() {} })
  await bundle.write({ dir: 'out', format: 'es', entryFileNames: 'bundle.mjs', chunkFileNames: '[name]-[hash].mjs' })`)

const vite = buildScript(`
  import { build } from ${JSON.stringify(tool('vite/dist/node/index.js'))}
  await build({
    logLevel: 'error',
    ssr: { noExternal: true, external: ['undici'] },
    build: { ssr: 'scenario.mjs', outDir: 'out', rollupOptions: { output: { entryFileNames: 'bundle.mjs' } } },
  })`)

/** An app of Next.js whose route runs the scenario, built as a stand-alone server. */
function next(name: string, flag: '--turbopack' | '--webpack'): Kind {
  return {
    name,
    without: 'express',
    async run(project, env) {
      await project.link('next', 'react', 'react-dom')
      await project.write({
        'next.config.mjs': `export default { output: 'standalone', outputFileTracingRoot: ${JSON.stringify('/')}, turbopack: { root: '/' } }`,
        'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>',
        'app/page.js': 'export default () => <p>home</p>',
        'app/scenario.js': await scenario('esm', '', 'express'),
        'app/run/route.js': `
          import { runScenario } from '../scenario.js'
          export const dynamic = 'force-dynamic'
          export const GET = async () => { await runScenario(); return new Response('done') }`,
      })
      const off = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }
      await node(project, [tool('next/dist/bin/next'), 'build', flag], off)
      await served(project, [join(project.folder, '.next/standalone', project.folder, 'server.js')], env)
    },
  }
}

/** An app of Next.js whose middleware and route run on the edge. webpack resolves no module of Node there. */
const nextOnTheEdge: Kind = {
  name: 'Next.js on the edge, webpack',
  steps: 3,
  async run(project, env) {
    await project.link('next', 'react', 'react-dom')
    await project.write({
      'next.config.mjs': 'export default {}',
      'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>',
      'app/page.js': 'export default () => <p>home</p>',
      'middleware.js': `
        import { isSdkError } from 'identity-service-sdk'
        import { NextResponse } from 'next/server'
        export function middleware({ headers }) {
          const seen = new Headers(headers)
          seen.set('x-seen', String(isSdkError(new Error('no'))))
          return NextResponse.next({ request: { headers: seen } })
        }`,
      'app/run/route.js': `
        import { imageFromFile, VerificationClient } from 'identity-service-sdk'
        import { createEmulator } from 'identity-service-sdk/emulator'
        import { createWebhookHandler } from 'identity-service-sdk/webhooks'
        import * as postgres from 'identity-service-sdk/stores/postgres'
        import * as redis from 'identity-service-sdk/stores/redis'
        export const runtime = 'edge'
        export async function GET({ headers }) {
          const client = new VerificationClient(createEmulator().options.verification)
          const { status } = await client.sessions.create()
          const image = imageFromFile('image.jpg')
          const { name } = await client.checks.liveness({ image }).catch((error) => error)
          const loaded = [createWebhookHandler, postgres.postgresStore, redis.redisStore].map((one) => typeof one)
          const seen = [headers.get('x-seen'), status, name, ...new Set(loaded)].join()
          const isOk = seen === 'false,NOT_STARTED,InvalidParamsError,function'
          return new Response(isOk ? 'done' : seen)
        }`,
    })
    const off = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }
    await node(project, [tool('next/dist/bin/next'), 'build', '--webpack'], off)
    await served(project, [tool('next/dist/bin/next'), 'start'], env)
    const results = { build: 'ok', middleware: 'ok', 'edge route': 'ok' }
    await project.write({ 'report.json': JSON.stringify(results) })
  },
}

/** Starts a server of a framework, requests its route, and ends it. */
async function served(project: Project, args: readonly string[], env: Readonly<Record<string, string>>) {
  await project.write({
    'request.mjs': `
      import { spawn } from 'node:child_process'
      import { setTimeout as pause } from 'node:timers/promises'
      import { createServer } from 'node:net'
      const probe = createServer().listen(0, '127.0.0.1')
      await new Promise((listening) => probe.once('listening', listening))
      const { port } = probe.address()
      probe.close()
      const env = { ...process.env, SVC_EMULATOR_ONLY: '1', HOSTNAME: '127.0.0.1', HOST: '127.0.0.1', NITRO_HOST: '127.0.0.1', PORT: String(port) }
      const server = spawn(process.execPath, process.argv.slice(2), { env, stdio: 'inherit' })
      const request = async (attempts) => {
        try {
          return await fetch('http://127.0.0.1:' + port + '/run')
        } catch (error) {
          if (attempts === 0) throw error
          await pause(100)
          return request(attempts - 1)
        }
      }
      const response = await request(300).finally(() => {}).catch((error) => { server.kill(); throw error })
      const text = await response.text()
      server.kill()
      if (text !== 'done') { console.error(response.status, text); process.exitCode = 1 }`,
  })
  await node(project, ['request.mjs', ...args], env)
}

/** A server of Nitro, which traces the files that it copies. Nuxt builds its servers with it. */
const nitro: Kind = {
  name: 'Nitro (Nuxt)',
  without: 'express',
  async run(project, env) {
    await project.link('nitropack')
    await project.write({
      'nitro.config.ts': `export default { compatibilityDate: '2026-01-01', telemetry: false }`,
      'scenario.js': await scenario('esm', '', 'express'),
      'routes/run.get.js': `
        import { runScenario } from '../scenario.js'
        export default defineEventHandler(async () => { await runScenario(); return 'done' })`,
    })
    await node(project, [tool('nitropack/dist/cli/index.mjs'), 'build'], {})
    const moved = await project.moved(['.output'])
    await served(moved, ['.output/server/index.mjs'], env)
  },
}

export const ofYarn = 'enableTelemetry: false\nenableGlobalCache: false\nenableImmutableInstalls: false\n'

/** Settings of a project with Yarn 4 PnP. */
export const yarnPnp = `nodeLinker: pnp\n${ofYarn}`

/** Installs with another package manager, and runs the scenario under its layout. */
function packageManager(
  name: string,
  files: Readonly<Record<string, string>>,
  install: (project: Project) => Promise<unknown>,
  run: (project: Project, env: Readonly<Record<string, string>>) => Promise<unknown>,
): Kind {
  return {
    name,
    async run({ moved }, env) {
      const project = await moved([])
      const dependencies = { 'identity-service-sdk': `file:${env.TARBALL}`, express: '5.3.0' }
      await project.write({
        'package.json': JSON.stringify({ name: 'consumer', private: true, dependencies }),
        'scenario.mjs': await scenario('esm', asProgram),
        'scenario.cjs': await scenario('cjs', asProgram),
        ...files,
      })
      await install(project)
      await run(project, env)
    },
  }
}

/** A package manager, and what it prints about a peer whose version does not fit. */
interface Manager {
  readonly name: string
  readonly warning: RegExp
  /** Adds packages to a project. @returns the output */
  add(project: Project, packages: readonly string[]): Promise<string>
}

const everyManager: readonly Manager[] = [
  {
    name: 'npm',
    warning: /ERESOLVE/,
    add: (project, packages) => {
      const flags = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
      return project.run('npm', ['install', ...flags, ...packages])
    },
  },
  {
    name: 'pnpm',
    warning: /unmet peer/,
    add: (project, packages) =>
      node(project, [tool('pnpm/bin/pnpm.mjs'), 'add', '--lockfile-only', '--ignore-scripts', ...packages], {
        pnpm_config_store_dir: join(project.folder, '.store'),
        pnpm_config_strict_peer_dependencies: 'true',
      }),
  },
  {
    name: 'Yarn',
    warning: /YN00(?:60|86)/,
    add: async (project, packages) => {
      await project.write({ '.yarnrc.yml': ofYarn, 'yarn.lock': '' })
      const yarn = [tool('@yarnpkg/cli-dist/bin/yarn.js'), 'add', '--mode=update-lockfile', ...packages]
      return node(project, yarn, {})
    },
  },
]

/** npm, or all with `--all`. */
export const managers = everyManager.filter(({ name }) => process.env.WHOLE || name === 'npm')

/**
 * Compiles the scenario with the compiler and the settings of a project, from CommonJS, and with every declaration that
 * it reads. Nothing runs.
 */
export interface Compiler {
  readonly name: string
  readonly typescript: CompilerName
  readonly options: Readonly<Record<string, string>>
}

const everyCompiler: readonly Compiler[] = [
  { name: 'TypeScript 5.4, node16', typescript: 'typescript-5.4', options: { module: 'node16' } },
  {
    name: 'TypeScript 5.9, node10',
    typescript: 'typescript-5.9',
    options: { module: 'commonjs', moduleResolution: 'node10' },
  },
  { name: 'TypeScript 6, nodenext', typescript: 'typescript-6', options: { module: 'nodenext' } },
]

/** The one that reads `typesVersions`, or all with `--all`. `test/types` compiles with the oldest and the newest. */
export const compilers = everyCompiler.filter(({ name }) => process.env.WHOLE || name.endsWith('node10'))

/** Returns the errors of a compiler, empty if there are none. */
export async function compile(project: Project, { typescript, options }: Compiler): Promise<string> {
  await project.link('@types')
  const compilerOptions = { ...commonJs, ...options, types: ['node'], noEmit: true, skipLibCheck: false }
  await project.write({
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['scenario.ts'] }),
    'scenario.ts': await scenario('ts', asProgram),
  })
  return node(project, [compilerPath(typescript)], {}).then(
    () => '',
    (error: Error) => error.message,
  )
}

/**
 * Preloads that rewrite modules as they load. None sends anything: their exporters are off or lead to a closed port.
 */
const instrumented: readonly Kind[] = [
  script('@sentry/node/preload', 'scenario.mjs', ['--import', '@sentry/node/preload'], {
    links: ['@sentry/node'],
    runtime: 'node-22',
  }),
  script(
    '@opentelemetry/auto-instrumentations-node',
    'scenario.mjs',
    ['--import', '@opentelemetry/auto-instrumentations-node/register'],
    {
      links: ['@opentelemetry/auto-instrumentations-node'],
      runtime: 'node-22',
      env: {
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_NODE_RESOURCE_DETECTORS: 'none',
      },
    },
  ),
  script('dd-trace', 'scenario.mjs', ['--import', 'dd-trace/initialize.mjs'], {
    links: ['dd-trace'],
    runtime: 'node-22',
    env: {
      DD_TRACE_AGENT_URL: 'http://127.0.0.1:9',
      DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
      DD_REMOTE_CONFIGURATION_ENABLED: 'false',
    },
  }),
  script('newrelic', 'scenario.mjs', ['--import', 'newrelic/esm-loader.mjs', '--require', 'newrelic'], {
    links: ['newrelic'],
    runtime: 'node-22',
    env: {
      NEW_RELIC_NO_CONFIG_FILE: 'true',
      NEW_RELIC_APP_NAME: 'consumer',
      NEW_RELIC_LICENSE_KEY: '0'.repeat(40),
      NEW_RELIC_HOST: '127.0.0.1',
      NEW_RELIC_PORT: '9',
      NEW_RELIC_LOG_ENABLED: 'false',
      NEW_RELIC_UTILIZATION_DETECT_AWS: 'false',
      NEW_RELIC_UTILIZATION_DETECT_AZURE: 'false',
      NEW_RELIC_UTILIZATION_DETECT_AZUREFUNCTION: 'false',
      NEW_RELIC_UTILIZATION_DETECT_GCP: 'false',
      NEW_RELIC_UTILIZATION_DETECT_PCF: 'false',
      NEW_RELIC_UTILIZATION_DETECT_KUBERNETES: 'false',
      NEW_RELIC_UTILIZATION_DETECT_DOCKER: 'false',
    },
  }),
]

const runtimes: readonly Kind[] = (['node-22', 'node-24', 'node-26'] as const).flatMap((runtime) => [
  script(`Node ${runtime.slice(5)}, ES modules`, 'scenario.mjs', [], { runtime }),
  script(`Node ${runtime.slice(5)}, CommonJS`, 'scenario.cjs', [], { runtime }),
])

/**
 * One kind of each class, where a class is what finds, loads or rewrites the files of the package: the resolution of
 * Node for each format, its oldest and newest line, other runtimes, the module systems of test runners, a compiler,
 * bundlers, a tracer of files, layouts of package managers, and hooks that replace modules.
 */
const representatives = [
  'Node 20, ES modules',
  'Node 20, CommonJS, without require of ES modules',
  'Node 26, ES modules',
  'Node, hardening flags',
  'Bun',
  'Deno',
  'ts-jest',
  'Vitest',
  'tsc to CommonJS',
  'esbuild, CommonJS, minified',
  'webpack 5',
  'Next.js standalone, Turbopack',
  'Next.js on the edge, webpack',
  'pnpm',
  'Yarn 4 PnP',
  '@opentelemetry/auto-instrumentations-node',
]

/** All kinds, in the order of the table. */
const everyKind: readonly Kind[] = [
  script('Node 20, ES modules', 'scenario.mjs'),
  script('Node 20, CommonJS', 'scenario.cjs'),
  script('Node 20, CommonJS, without require of ES modules', 'scenario.cjs', ['--no-experimental-require-module']),
  ...runtimes,
  script(
    'Node, hardening flags',
    'scenario.mjs',
    [
      '--disallow-code-generation-from-strings',
      '--disable-proto=throw',
      '--frozen-intrinsics',
      '--disable-warning=ExperimentalWarning',
    ],
    // Express cannot be loaded with frozen intrinsics.
    { without: 'express' },
  ),
  script('Bun', 'scenario.mjs', [], { runtime: 'bun' }),
  script('Deno', 'scenario.mjs', ['run', '--no-prompt', '--allow-all'], { runtime: 'deno' }),
  jest('Jest 30', 'scenario.test.js'),
  jest('Jest 29', 'scenario.test.js', { bin: 'jest-29/bin/jest.js' }),
  jest('ts-jest', 'scenario.test.ts', { links: ['ts-jest', 'typescript'], config: { preset: 'ts-jest' } }),
  jest('@swc/jest', 'scenario.test.ts', {
    links: ['@swc/jest', '@swc/core'],
    config: {
      transform: { '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }] },
    },
  }),
  jest('Jest, ES modules', 'scenario.test.mjs', {
    args: ['--experimental-vm-modules', '--no-warnings'],
    config: { moduleFileExtensions: ['mjs', 'js'], transform: {} },
  }),
  runner('Vitest', 'scenario.test.mjs', `import { test } from 'vitest'\n${asTest}`, [
    tool('../../../node_modules/vitest/vitest.mjs'),
    'run',
  ]),
  runner('mocha', 'scenario.test.cjs', `it('every step', () => runScenario()).timeout(60_000)`, [
    tool('mocha/bin/mocha.js'),
    'scenario.test.cjs',
  ]),
  runner(
    'AVA',
    'scenario.test.mjs',
    `import test from 'ava'\ntest('every step', async (t) => { await runScenario(); t.pass() })`,
    [tool('ava/entrypoints/cli.mjs')],
    ['ava'],
  ),
  typeScript('ts-node', (project, env) => node(project, [tool('ts-node/dist/bin.js'), 'scenario.ts'], env)),
  typeScript('tsx, CommonJS', (project, env) => node(project, [tool('tsx/dist/cli.mjs'), 'scenario.ts'], env)),
  typeScript('tsx, ES modules', async (project, env) => {
    await project.write({
      'package.json': JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
    })
    await node(project, [tool('tsx/dist/cli.mjs'), 'scenario.ts'], env)
  }),
  typeScript('tsc to CommonJS', async (project, env) => {
    await node(project, [tool('typescript/bin/tsc')], {})
    await node(project, ['out/scenario.js'], env)
  }),
  bundle('esbuild, CommonJS', esbuild({ outfile: 'out/bundle.cjs' })),
  bundle('esbuild, CommonJS, minified', esbuild({ outfile: 'out/bundle.cjs', minify: true })),
  bundle(
    'esbuild, ES modules',
    esbuild({
      outfile: 'out/bundle.mjs',
      format: 'esm',
      // Express and undici require modules of Node.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
      },
    }),
    { file: 'out/bundle.mjs' },
  ),
  bundle('webpack 5', webpack('')),
  {
    name: 'webpack 5, packages external',
    async run(project, env) {
      await project.write({ 'scenario.mjs': await scenario('esm', asProgram) })
      await webpack(
        `externalsPresets: { node: true }, externalsType: 'commonjs', externals: [/^(?:identity-service-sdk|express)/],`,
      )(project)
      await node(project, ['out/bundle.cjs'], env)
    },
  },
  bundle('Rollup', rollup, { file: 'out/bundle.mjs', packages: ['undici'] }),
  bundle('Vite SSR', vite, { file: 'out/bundle.mjs', packages: ['undici'] }),
  bundle(
    'ncc',
    (project) => node(project, [tool('@vercel/ncc/dist/ncc/cli.js'), 'build', 'scenario.mjs', '-o', 'out', '-q'], {}),
    {
      file: 'out/index.mjs',
    },
  ),
  next('Next.js standalone, Turbopack', '--turbopack'),
  next('Next.js standalone, webpack', '--webpack'),
  nextOnTheEdge,
  nitro,
  packageManager(
    'pnpm',
    {},
    (project) =>
      node(project, [tool('pnpm/bin/pnpm.mjs'), 'install', '--ignore-scripts'], {
        pnpm_config_store_dir: join(project.folder, '.store'),
      }),
    async (project, env) => {
      await node(project, ['scenario.mjs'], env)
      await node(project, ['scenario.cjs'], env)
    },
  ),
  packageManager(
    'Yarn 4 PnP',
    { '.yarnrc.yml': yarnPnp, 'yarn.lock': '' },
    (project) => node(project, [tool('@yarnpkg/cli-dist/bin/yarn.js'), 'install'], {}),
    async (project, env) => {
      await node(project, [tool('@yarnpkg/cli-dist/bin/yarn.js'), 'node', 'scenario.mjs'], env)
      await node(project, [tool('@yarnpkg/cli-dist/bin/yarn.js'), 'node', 'scenario.cjs'], env)
    },
  ),
  ...instrumented,
]

function kindOf(name: string): Kind {
  const kind = everyKind.find((one) => one.name === name)
  if (kind === undefined) throw new Error(`there is no kind of project named ${name}`)
  return kind
}

/** One kind of each class, or all with `npm run consumers -- --all`. */
export const kinds = process.env.WHOLE ? everyKind : representatives.map(kindOf)

// Measures type checking: a program that imports a package, compared with one that imports nothing, by
// `tsc --extendedDiagnostics`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { byMode } from '../harness/arguments.js'
import { jobsOf } from '../harness/comparison.js'
import { rootFolder } from '../harness/own.js'
import { benchFolder, linkPackage } from '../harness/peers.js'
import { writeResult } from '../harness/result.js'
import { spreadOf } from '../harness/spread.js'

const reportCpu = new URL('../programs/report-cpu.js', import.meta.url).href
const compiler = join(rootFolder, 'node_modules/typescript')
const { version } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'))
const MiB = 1024

const nothing = 'no import'
const control = 'no import (control)'
const own = ['the root']
const peers = ['@workos-inc/node', 'stripe', 'openai']

/**
 * The source of each program, given the name under which this package is linked.
 *
 * @type {Record<string, (name: string) => string>}
 */
const programs = {
  [nothing]: () => 'export {}',
  [control]: () => 'export {}',
  'the root': (name) =>
    `import { VerificationClient } from '${name}'\nexport const client = new VerificationClient()`,
  '@workos-inc/node': () =>
    "import { WorkOS } from '@workos-inc/node'\nexport const client = new WorkOS('key')",
  stripe: () => "import Stripe from 'stripe'\nexport const client = new Stripe('key')",
  openai: () => "import OpenAI from 'openai'\nexport const client = new OpenAI()",
}

// Inside this folder, so that programs find the packages to compare with.
const cache = join(benchFolder, '.cache')
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, 'types-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const settings = {
  'Declarations as loaded, skipLibCheck: true': true,
  'All declarations checked, skipLibCheck: false': false,
}

/** @typedef {{ cpu: number, check: number, types: number, instantiations: number, memory: number }} Cost */

/** @type {{ title: string, name: string, config: string, costs: Cost[] }[]} */
const rows = []
const jobs = jobsOf([nothing, control, ...own, ...peers], own, peers)
for (const { name, row, checkout } of jobs) {
  const link = own.includes(row)
    ? linkPackage(`identity-service-sdk${checkout ? '-before' : ''}`, checkout ?? rootFolder)
    : row
  for (const [title, skipLibCheck] of Object.entries(settings)) {
    const config = join(folder, `${rows.length}.json`)
    const file = `${rows.length}.mts`
    writeFileSync(join(folder, file), programs[row]?.(link) ?? '')
    const compilerOptions = {
      noEmit: true,
      strict: true,
      target: 'es2022',
      module: 'nodenext',
      typeRoots: [join(rootFolder, 'node_modules/@types')],
      types: ['node'],
      skipLibCheck,
    }
    writeFileSync(config, JSON.stringify({ compilerOptions, files: [file] }))
    rows.push({ title, name, config, costs: [] })
  }
}

/**
 * Compiles a program. Errors in the declarations of a package are no reason to stop: the compiler checks the rest too.
 *
 * @param {string} config
 * @returns {Cost}
 */
function compile(config) {
  const args = ['--import', reportCpu, join(compiler, 'bin/tsc'), '-p', config, '--extendedDiagnostics']
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const figure = (/** @type {string} */ label) => {
    const found = new RegExp(`^${label}: +([\\d.]+)`, 'm').exec(stdout)?.[1]
    if (found === undefined) throw new Error(`tsc reported no ${label}: ${stdout}${stderr}`)
    return Number(found)
  }
  return {
    cpu: figure('CPU'),
    check: figure('Check time') * 1000,
    types: figure('Types'),
    instantiations: figure('Instantiations'),
    memory: figure('Memory used') / MiB,
  }
}

/**
 * Returns the minimum of two compilations, because other load only adds. Types and instantiations are always the same.
 *
 * @param {string} config
 * @returns {Cost}
 */
function minimumCost(config) {
  const [a, b] = [compile(config), compile(config)]
  return {
    ...a,
    cpu: Math.min(a.cpu, b.cpu),
    check: Math.min(a.check, b.check),
    memory: Math.min(a.memory, b.memory),
  }
}

for (let round = 0; round < byMode(5, 11); round++)
  for (const { config, costs } of round % 2 === 0 ? rows : rows.toReversed()) costs.push(minimumCost(config))

/**
 * Returns the spread of a figure, each minus the figure of the empty program in the same round.
 *
 * @param {string} title
 * @param {string} name
 * @param {keyof Cost} key
 */
function spread(title, name, key) {
  const costsOf = (/** @type {string} */ row) =>
    rows.find((one) => one.title === title && one.name === row)?.costs ?? []
  const empty = costsOf(nothing)
  return spreadOf(costsOf(name).map((cost, round) => cost[key] - (empty[round]?.[key] ?? Number.NaN)))
}

const names = jobs.map(({ name }) => name).slice(1)

writeResult('types', {
  title: 'Type checking',
  what: `Additional cost of type checking a program with TypeScript ${version} if it imports a package, compared with a program that imports nothing.`,
  groups: Object.keys(settings).map((title) => ({
    title,
    columns: [
      { key: 'cpu', label: 'CPU', unit: 'ms' },
      { key: 'check', label: 'check time', unit: 'ms' },
      { key: 'types', label: 'types', unit: '' },
      { key: 'instantiations', label: 'instantiations', unit: '' },
      { key: 'memory', label: 'memory', unit: 'MiB' },
    ],
    bars: 'cpu',
    rows: names.map((name) => ({
      name,
      ...(own.includes(name) ? { own: true } : {}),
      figures: {
        cpu: spread(title, name, 'cpu'),
        check: spread(title, name, 'check'),
        types: spread(title, name, 'types'),
        instantiations: spread(title, name, 'instantiations'),
        memory: spread(title, name, 'memory'),
      },
    })),
  })),
  targets: [],
  peers,
})

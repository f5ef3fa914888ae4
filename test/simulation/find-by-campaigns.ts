import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Mutant, mutants } from './mutants.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The campaign of each protocol, on one engine. The wallet has none. */
const campaigns: Readonly<Record<string, readonly [file: string, tests?: string]>> = {
  webhooks: ['webhook-deliveries', 'on Redis$'],
  inbox: ['inbox', 'with postgresInbox'],
  tokens: ['token-refresh', 'on Redis$'],
  'spend limit': ['spend-limit', 'on Redis$'],
  'spend limit of a key': ['spend-limit', 'on Redis$'],
  retries: ['random-faults'],
  starts: ['verification-manager', 'on Redis$'],
  outcomes: ['verification-manager', 'on Redis$'],
  forgets: ['verification-manager', 'on Redis$'],
  'forgotten starts': ['verification-manager', 'on Redis$'],
}

/**
 * Runs the campaign of its protocol against each mutant, in a copy of the repository, and writes into `mutants.json`
 * whether a test fails. A mutant has the result `unclear` if the campaign also fails without it.
 *
 * @param part only mutants whose name contains it
 */
export async function findByCampaigns(part = ''): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'campaigns-'))
  const excluded = /^(?:node_modules|dist|\.git|\.cache|test-results)(?:\/|$)/
  cpSync(root, copy, { recursive: true, filter: (path) => !excluded.test(path.slice(root.length)) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const file = new URL('mutants.json', import.meta.url)
  const controls = new Map<string, boolean>()
  try {
    for (const mutant of mutants.filter(({ name, protocol }) => `${protocol}: ${name}`.includes(part))) {
      const campaign = campaigns[mutant.protocol]
      if (!campaign) continue
      const control = controls.get(mutant.protocol) ?? (await passes(copy, campaign))
      controls.set(mutant.protocol, control)
      const startedAt = performance.now()
      const isFound = !(await passes(copy, campaign, mutant))
      const result = control ? (isFound ? 'found' : 'not found') : 'unclear'
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
      console.log(`${result.padEnd(10)} ${mutant.protocol}: ${mutant.name} (${seconds} s)`)
      const results = JSON.parse(readFileSync(file, 'utf8')) as { mutant: string; campaign?: string }[]
      for (const one of results) if (one.mutant === mutant.name) one.campaign = result
      writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Builds the package with a mutant, and runs a campaign until its first failure. */
async function passes(copy: string, [name, tests]: readonly [string, string?], mutant?: Mutant): Promise<boolean> {
  const changed = mutant && join(copy, 'src', mutant.file)
  const original = changed && readFileSync(changed, 'utf8')
  if (mutant && changed && original)
    writeFileSync(
      changed,
      original.replace(mutant.from, () => mutant.to),
    )
  try {
    await run('npm', ['run', '-s', 'build:scripts'], { cwd: copy })
    const config = ['--config', 'test/campaigns/vitest.config.ts', '--bail', '1', '--reporter', 'dot']
    const only = tests === undefined ? [] : ['-t', tests]
    const vitest = ['vitest', 'run', ...config, `test/campaigns/${name}.test.ts`, ...only]
    await run('npx', vitest, { cwd: copy, maxBuffer: 2 ** 26 })
    return true
  } catch (error) {
    // Vitest says on its output which tests failed. Anything else means that nothing was tested.
    const { stdout = '' } = error as { stdout?: string }
    if (!/Tests .*\d+ failed/.test(stdout)) throw error
    return false
  } finally {
    if (changed && original) writeFileSync(changed, original)
  }
}

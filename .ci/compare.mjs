// Prints the sizes and the public names of two builds as Markdown: `node .ci/compare.mjs BASE HEAD`.
import { execFileSync, spawnSync } from 'node:child_process'
import { bundleBudgets, bundleOf, compressedSize, unpackedBudget } from './budgets.mjs'

const [base = '', head = ''] = process.argv.slice(2)

/** @param {string} folder */
async function sizesOf(folder) {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [packed] = Object.values(JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' })))
  const bundles = bundleBudgets.map(([name, script]) =>
    bundleOf(folder, name, script).then(compressedSize, () => undefined),
  )
  return [packed.size, packed.unpackedSize, ...(await Promise.all(bundles))]
}

/** @param {number} bytes */
const kibibytes = (bytes) => (bytes / 1024).toFixed(2)

const rows = [
  ['packed'],
  ['unpacked', unpackedBudget],
  ...bundleBudgets.map(([name, script, budget]) => [`bundle with \`${name}\` of \`${script}\``, budget]),
]
const [before, after] = await Promise.all([sizesOf(base), sizesOf(head)])
console.log('## Sizes in KiB\n\n|  | budget | base | head | difference |\n| --- | --: | --: | --: | --: |')
for (const [i, [title, budget]] of rows.entries()) {
  const sizes = [budget, before[i], after[i], after[i] - before[i]]
  // A name that one side does not export has no size there.
  console.log(`| ${[title, ...sizes.map((size) => (Number.isFinite(size) ? kibibytes(size) : ''))].join(' | ')} |`)
}

const paths = [`${base}/api`, `${head}/api`]
const diff = spawnSync('git', ['diff', '--no-index', '--no-prefix', ...paths], { encoding: 'utf8' })
if (diff.status === null || diff.status > 1) throw new Error(diff.stderr)
const lines = diff.stdout.split('\n').filter((line) => !/^(?:diff|index) /.test(line))
// The reports contain fences of three.
console.log(`\n## Public API\n\n${diff.stdout ? `\`\`\`\`diff\n${lines.join('\n')}\`\`\`\`` : 'No difference.'}`)

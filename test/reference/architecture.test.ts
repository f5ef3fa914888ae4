import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = readdirSync(`${root}/src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => posix.join('src', file.replaceAll('\\', '/')))
const specifier = /(?:from |import\(|import )'(\.[^']+)'/g
const imports = files.flatMap((from) =>
  [...readFileSync(`${root}/${from}`, 'utf8').matchAll(specifier)].map(([, to = '']) => [
    from,
    posix.join(posix.dirname(from), to),
  ]),
)

/** The folder inside another one that a file is in. */
const folderIn = (parent: string, file = '') => new RegExp(`^${parent}/([^/]+)/`).exec(file)?.[1]

/** Which folders inside a folder import which. */
function importsIn(parent: string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of imports) {
    const [a, b] = [folderIn(parent, from), folderIn(parent, to)]
    if (a === undefined || b === undefined || a === b) continue
    graph.set(a, (graph.get(a) ?? new Set()).add(b))
  }
  return graph
}

const reached = (graph: Map<string, Set<string>>, from: string): Set<string> =>
  new Set([...(graph.get(from) ?? [])].flatMap((to) => [to, ...reached(graph, to)]))

/** The arrows inside a folder, without those that follow from others. */
function arrowsIn(parent: string): string[] {
  const graph = importsIn(parent)
  return [...graph].sort().flatMap(([from, all]) => {
    const direct = [...all].filter((to) => ![...all].some((other) => reached(graph, other).has(to)))
    return direct.sort().map((to) => `${nodeOf(parent, from)} --> ${nodeOf(parent, to)}`)
  })
}

/** Folders of different parents may have one name. */
const nodeOf = (parent: string, folder: string) =>
  parent === 'src' ? folder : `${posix.basename(parent)}.${folder}["${folder}"]`

/** Folders whose own folders are drawn. */
const drawn = ['emulator', 'oidc', 'http', 'contract']

function picture(): string {
  const parents = drawn.flatMap((parent) => [
    `  subgraph ${parent}`,
    ...arrowsIn(`src/${parent}`).map((arrow) => `    ${arrow}`),
    '  end',
  ])
  return ['flowchart TB', ...parents, ...arrowsIn('src').map((arrow) => `  ${arrow}`)].join('\n')
}

it('the picture of ARCHITECTURE.md shows what the folders of src import', async () => {
  const page = `${root}/ARCHITECTURE.md`
  const text = readFileSync(page, 'utf8').replace(/(?<=```mermaid\n)[\s\S]*?(?=```)/, () => `${picture()}\n`)

  await expect(text).toMatchFileSnapshot(page)
})

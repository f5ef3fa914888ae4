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

/** The folder of a room that a file is in. */
const folderIn = (room: string, file = '') => new RegExp(`^${room}/([^/]+)/`).exec(file)?.[1]

/** Which folders of a room import which. */
function importsIn(room: string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of imports) {
    const [a, b] = [folderIn(room, from), folderIn(room, to)]
    if (a === undefined || b === undefined || a === b) continue
    graph.set(a, (graph.get(a) ?? new Set()).add(b))
  }
  return graph
}

const reached = (graph: Map<string, Set<string>>, from: string): Set<string> =>
  new Set([...(graph.get(from) ?? [])].flatMap((to) => [to, ...reached(graph, to)]))

/** The arrows of a room, without those that follow from others. */
function arrowsIn(room: string): string[] {
  const graph = importsIn(room)
  return [...graph].sort().flatMap(([from, all]) => {
    const direct = [...all].filter((to) => ![...all].some((other) => reached(graph, other).has(to)))
    return direct.sort().map((to) => `${nodeOf(room, from)} --> ${nodeOf(room, to)}`)
  })
}

/** Folders of different rooms may have one name. */
const nodeOf = (room: string, folder: string) =>
  room === 'src' ? folder : `${posix.basename(room)}.${folder}["${folder}"]`

/** Rooms whose folders are drawn. */
const drawn = ['emulator', 'oidc', 'http', 'contract']

function picture(): string {
  const rooms = drawn.flatMap((room) => [
    `  subgraph ${room}`,
    ...arrowsIn(`src/${room}`).map((arrow) => `    ${arrow}`),
    '  end',
  ])
  return ['flowchart TB', ...rooms, ...arrowsIn('src').map((arrow) => `  ${arrow}`)].join('\n')
}

it('the picture of ARCHITECTURE.md shows what the rooms of src import', async () => {
  const page = `${root}/ARCHITECTURE.md`
  const text = readFileSync(page, 'utf8').replace(/(?<=```mermaid\n)[\s\S]*?(?=```)/, () => `${picture()}\n`)

  await expect(text).toMatchFileSnapshot(page)
})

import { readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { sourceOf } from '../support/source-files.ts'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

const filesOfBuild = (ending: RegExp) =>
  readdirSync(join(installed.folder, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => join('dist', path))

const read = (path: string) => readFileSync(join(installed.folder, path), 'utf8')

it('every ES module has a source map without a copy of the sources, except those of the command line and of the OpenAPI document', () => {
  const scripts = filesOfBuild(/\.js$/)
  const isMapped = (path: string) => /\n\/\/# sourceMappingURL=.+\s*$/.test(read(path))

  const withoutMap = scripts.filter((path) => !isMapped(path))
  expect(withoutMap.length).toBeGreaterThan(1)
  expect(
    withoutMap.filter((path) => !/^dist\/(?:cli|start-\w+|chunk-\w+|platform\/openapi)\.js$/.test(path)),
  ).toEqual([])
  for (const path of filesOfBuild(/\.map$/)) expect(read(path), path).not.toContain('sourcesContent')
})

it.each(['mjs', 'cjs'])(
  'with --enable-source-maps, a stack trace names lines of the TypeScript source (%s)',
  async (ending) => {
    const load = (entry: string) => (ending === 'mjs' ? `await import('${entry}')` : `require('${entry}')`)
    const output = await installed.run(
      `stack.${ending}`,
      `const { VerificationClient, verifyWebhook } = ${load('identity-service-sdk')}
       const stacks = []
       try { new VerificationClient({ baseUrl: 'relative', apiKey: 'key' }) } catch ({ stack }) { stacks.push(stack) }
       verifyWebhook({ body: '{}', headers: {}, secret: 's' }).catch(({ stack }) => {
         console.log(JSON.stringify([...stacks, stack]))
       })`,
      { NODE_OPTIONS: '--enable-source-maps' },
    )

    const stacks = (JSON.parse(output) as string[]).map((stack) =>
      [...stack.matchAll(/identity-service-sdk\/(\S+?):(\d+):\d+/g)].map(([, path = '', line]) => ({
        path,
        line: sourceOf(path).split('\n')[Number(line) - 1],
      })),
    )

    expect(stacks.map((frames) => frames.at(-1)?.path)).toEqual([
      'src/verification/client.ts',
      'src/webhooks/verify.ts',
    ])
    for (const [first, ...others] of stacks) {
      expect(first?.line).toMatch(/\bthrow /)
      expect(others.filter(({ path }) => !/^src\/.+\.ts$/.test(path))).toEqual([])
    }
  },
)

/** Returns the modules that a script contains. esbuild writes the path of each before its code. */
function modulesOf(script: string) {
  return read(script)
    .split(/^(?=\/\/ \S+\.[cm]?[jt]s\n)/m)
    .map((text) => ({ path: /^\/\/ (.+)\n/.exec(text)?.[1] ?? '', lines: text.split(/(?<=\n)/) }))
}

const isOurs = ({ path }: { path: string }) => path.startsWith('src/')

it('a source map leads from a line to the module that contains it', () => {
  const mapped = filesOfBuild(/\.c?js\.map$/).map((path) => path.replace(/\.map$/, ''))
  const lines = mapped.flatMap((script) => {
    const map = new SourceMap(JSON.parse(read(`${script}.map`)))
    return modulesOf(script)
      .flatMap((module) => module.lines.map((line) => ({ ...module, line })))
      .map(({ path, line }, i) => {
        // Node looks a stack frame up in this way.
        const entry = map.findEntry(i, line.search(/\S|$/))
        const source =
          'originalSource' in entry ? entry.originalSource?.replace(/^(?:\.\.\/)+/, '') : undefined
        return { place: `${script}:${i + 1}`, path, line, source }
      })
      .filter(({ line }) => /^\s+(?:return|throw|await)\b/.test(line))
  })

  expect(lines.filter(isOurs).length).toBeGreaterThan(1_000)
  expect(lines.filter(isOurs).filter(({ path, source }) => source !== path)).toEqual([])
})

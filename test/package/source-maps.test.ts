import { readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
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

it('every script has a source map, except those of the command line and the emulator', () => {
  const scripts = filesOfBuild(/\.c?js$/)
  const mapOf = (path: string) => /\n\/\/# sourceMappingURL=(.+)\s*$/.exec(read(path))?.[1]

  const withoutMap = scripts.filter((path) => mapOf(path) === undefined).sort()
  const those = /^dist\/(?:cli(?:\/[\w-]+)?|emulator|shared\/jose|runtime\/node-http\.(?:node|web))\.c?js$/
  expect(withoutMap.length).toBeGreaterThan(1)
  expect(withoutMap.filter((path) => !those.test(path))).toEqual([])
  expect(scripts.flatMap((path) => mapOf(path) ?? []).sort()).toEqual(
    filesOfBuild(/\.map$/)
      .map((path) => path.replace(/.*\//, ''))
      .sort(),
  )
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

const isThirdParty = ({ path }: { path: string }) => path.startsWith('node_modules/')
const isOurs = ({ path }: { path: string }) => path.startsWith('src/')

it('a source map leads from a line to the module that contains it, and from code of other packages nowhere', () => {
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
        return { place: `${script}:${i + 1}`, path, source }
      })
  })

  expect(lines.filter(isOurs).filter(({ source }) => source !== undefined).length).toBeGreaterThan(10_000)
  expect(lines.filter(isOurs).filter(({ path, source = path }) => source !== path)).toEqual([])
  expect(lines.filter(isThirdParty).length).toBeGreaterThan(1000)
  expect(lines.filter(isThirdParty).filter(({ source }) => source !== undefined)).toEqual([])
})

it('code of other packages is minified in scripts without a source map, and our code is not', () => {
  const scripts = filesOfBuild(/\.c?js$/)
  const unmapped = scripts.filter((script) => !read(script).includes('\n//# sourceMappingURL='))
  const isMinified = ({ lines }: { lines: readonly string[] }) =>
    lines.some((line) => /^(?:var \w+=|(?:async )?function \w+\([^()]*\)\{)/.test(line))

  const thirdParty = unmapped.flatMap(modulesOf).filter(isThirdParty)
  expect(thirdParty.length).toBeGreaterThan(20)
  expect(thirdParty.filter((module) => !isMinified(module))).toEqual([])
  const ours = scripts.flatMap(modulesOf).filter(isOurs)
  expect(ours.length).toBeGreaterThan(200)
  expect(ours.filter(isMinified)).toEqual([])
})

it('the source maps of ES modules contain our own modules without docstrings and types, except contract and emulator', () => {
  const root = installed.folder
  const found = new Map<string, string | null>()
  for (const path of filesOfBuild(/\.js\.map$/)) {
    const { sources, sourcesContent } = JSON.parse(read(path)) as {
      sources: string[]
      sourcesContent: (string | null)[]
    }
    for (const [i, source] of sources.entries()) {
      const own = join(root, dirname(path), source).slice(root.length + 1)
      if (/^src\/(?!contract\/|emulator)/.test(own)) found.set(own, sourcesContent[i] ?? null)
    }
  }

  expect(found.size).toBeGreaterThan(100)
  for (const [path, content] of found) {
    const written = sourceOf(path).split('\n')
    const quoted = content?.split('\n') ?? []
    expect(quoted, path).toHaveLength(written.length)
    for (const [i, line] of quoted.entries())
      if (line.trimEnd() !== '') expect(line, `${path}:${i + 1}`).toBe(written[i])
    expect(content, path).not.toMatch(/^(?:export )?(?:interface|type|import) /m)
  }
})

it('docstrings are published in the declarations only', () => {
  const scripts = filesOfBuild(/\.c?js$/)
  const withDocstrings = scripts.filter((path) => /^\s*\/\*\*(?!.*@(?:license|preserve))/m.test(read(path)))

  expect(read('dist/index.d.cts') + read('dist/verification.d.cts')).toContain('/**')
  expect(withDocstrings).toEqual([])
})

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { serveListener } from '../support/serve-listener.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The site that `npm run docs` builds. */
export interface BuiltSite {
  /** The errors and warnings of the generator. Empty if there are none. */
  readonly warnings: string
  /** The HTML of each page, by path. */
  readonly pages: ReadonlyMap<string, string>
  /** The paths of all files. */
  readonly files: ReadonlySet<string>
  /** Returns the links of a page as paths of the site, with their anchors. */
  linksOf(page: string): readonly string[]
  /** The links of the sidebar. It is not part of the pages, because a script of each page loads it. */
  readonly sidebar: readonly string[]
  /** Serves the site on a loopback address. */
  serve(): Promise<string>
  remove(): Promise<void>
}

/** Builds the site into a temporary folder. */
export async function buildSite(): Promise<BuiltSite> {
  const folder = await mkdtemp(join(tmpdir(), 'site-'))
  const generator = join(root, 'node_modules/typedoc/bin/typedoc')
  const options = ['--options', 'docs/site/typedoc.json', '--logLevel', 'Warn', '--out', folder]
  // A warning fails its own test, and no other.
  const args = [generator, ...options, '--treatWarningsAsErrors', 'false']
  const warnings = await promisify(execFile)(process.execPath, args, { cwd: root }).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `failed: ${stdout}${stderr}`,
  )
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const paths = files.map((file) => relative(folder, file))
  const read = async (path: string) => [path, await readFile(join(folder, path), 'utf8')] as const
  if (!paths.includes('index.html')) throw new Error(warnings)
  const pages = new Map(await Promise.all(paths.filter((path) => path.endsWith('.html')).map(read)))
  return {
    warnings,
    pages,
    files: new Set(paths),
    linksOf: (page) => linksIn(pages.get(page) ?? '').map((link) => fromRoot(page, link)),
    sidebar: pathsIn(await readData(join(folder, 'assets/navigation.js'))),
    async serve() {
      const { url } = await serveListener(async ({ url: target = '/' }, response) => {
        const path = decodeURIComponent(new URL(target, 'http://site').pathname).slice(1) || 'index.html'
        if (!paths.includes(path)) return void response.writeHead(404).end()
        response.writeHead(200, { 'content-type': typeOf(path) }).end(await readFile(join(folder, path)))
      })
      return url
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Returns the links of a page to this site, as they are written. */
function linksIn(html: string): string[] {
  const links = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link]) =>
    decodeEntities(String(link)),
  )
  return links.filter((link) => !/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(link))
}

const decodeEntities = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

function fromRoot(page: string, link: string): string {
  const [path = '', anchor] = link.split('#')
  const written =
    path === '' ? page : posix.join(posix.dirname(page), decodeURIComponent(path.split('?')[0] ?? ''))
  const target = written.endsWith('/') ? posix.join(written, 'index.html') : written
  return anchor === undefined ? target : `${target}#${decodeURIComponent(anchor)}`
}

/** Reads a script of the generator that contains data: a string with compressed JSON. */
async function readData(file: string): Promise<unknown> {
  const packed = /"([^"]+)"/.exec(await readFile(file, 'utf8'))?.[1] ?? ''
  return JSON.parse(String(await promisify(inflate)(Buffer.from(packed, 'base64'))))
}

function pathsIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return []
  const own = 'path' in data && typeof data.path === 'string' ? [decodeURIComponent(data.path)] : []
  return [...own, ...Object.values(data).flatMap(pathsIn)]
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
}

const typeOf = (path: string) => types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream'

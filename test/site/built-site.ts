import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serveListener } from '../support/serve-listener.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The site that `npm run docs` builds. */
export interface BuiltSite {
  /** What the generators print about errors and warnings. Empty if there are none. */
  readonly warnings: string
  /** The HTML of each page, by path. */
  readonly pages: ReadonlyMap<string, string>
  /** The paths of all files. */
  readonly files: ReadonlySet<string>
  /** Returns the content of a file that is no page. */
  text(path: string): string
  /** Returns the links of a page as paths of the site, with their anchors. */
  linksOf(page: string): readonly string[]
  /** Serves the site on a loopback address. */
  serve(): Promise<string>
  remove(): Promise<void>
}

/** Builds the site into a temporary folder. */
export async function buildSite(): Promise<BuiltSite> {
  const folder = await mkdtemp(join(tmpdir(), 'site-'))
  const run = (script: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [join(root, 'docs/site/node_modules', script), ...args], {
      cwd: join(root, 'docs/site'),
      env: { ...process.env, SITE_FOLDER: folder, NO_COLOR: '1' },
    }).then(
      ({ stdout, stderr }) => stdout + stderr,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `failed: ${stdout}${stderr}`,
    )
  const reference = await run('typedoc/bin/typedoc', '--options', 'typedoc.json', '--logLevel', 'Warn')
  const site = await run('vitepress/bin/vitepress.js', 'build')
  const warnings =
    reference +
    site
      .split('\n')
      .filter((line) => /warn|error|failed|dead link/i.test(line))
      .join('\n')
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const paths = files.map((file) => relative(folder, file))
  const read = async (path: string) => [path, await readFile(join(folder, path), 'utf8')] as const
  if (!paths.includes('index.html')) throw new Error(reference + site)
  const pages = new Map(await Promise.all(paths.filter((path) => path.endsWith('.html')).map(read)))
  return {
    warnings,
    pages,
    files: new Set(paths),
    text: (path) => readFileSync(join(folder, path), 'utf8'),
    linksOf: (page) => linksIn(pages.get(page) ?? '').map((link) => fromRoot(page, link)),
    async serve() {
      const { url } = await serveListener(async ({ url: target = '/' }, response) => {
        const asked = decodeURIComponent(new URL(target, 'http://site').pathname).slice(1)
        const path = asked === '' || asked.endsWith('/') ? `${asked}index.html` : asked
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
  const links = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link]) => decodeEntities(String(link)))
  return links.filter((link) => !/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(link))
}

const decodeEntities = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

function fromRoot(page: string, link: string): string {
  const [path = '', anchor] = link.split('#')
  const decoded = decodeURIComponent(path.split('?')[0] ?? '')
  const written = path === '' ? page : posix.join('/', posix.dirname(page), decoded.startsWith('/') ? '' : decoded)
  const whole = decoded.startsWith('/') ? decoded.slice(1) : written.replace(/^\//, '')
  const target = whole === '' || whole.endsWith('/') ? `${whole}index.html` : whole
  return anchor === undefined ? target : `${target}#${decodeURIComponent(anchor)}`
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

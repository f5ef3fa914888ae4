import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SiteConfig } from 'vitepress'

/**
 * Writes what programs read: the Markdown of each page next to its HTML, and `llms.txt`, which lists the pages
 * (https://llmstxt.org).
 */
export function writeForPrograms({ srcDir, outDir, pages, rewrites }: SiteConfig): void {
  for (const source of pages) {
    const file = join(outDir, rewrites.map[source] ?? source)
    mkdirSync(dirname(file), { recursive: true })
    copyFileSync(join(srcDir, source), file)
  }
  writeFileSync(join(outDir, 'llms.txt'), listOfPages(readFileSync(join(srcDir, 'docs/README.md'), 'utf8')))
}

/** Returns the index of the documentation with the addresses of the site. */
const listOfPages = (index: string) =>
  index
    .replace(/^# .+\n[\s\S]*?(?=## )/, heading)
    .replaceAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g, (_, path: string) => `](${addressOf(path)})`)

const addressOf = (path: string) => new URL(path, 'http://site/docs/').pathname.replace(/README\.md$/, 'index.md')

const heading = `# identity-service-sdk

> The typed Node.js client for an identity service: hosted verification, standalone checks, signed webhooks, OpenID Connect
> sign-in, an organization's roster and billing, and an emulator of the whole service.

Each page is Markdown. The folder \`docs\` of the package has the pages of the version that is installed.

`

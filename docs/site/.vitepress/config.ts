import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from 'vitepress'
import { writeForPrograms } from './for-programs.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

interface Listed {
  readonly text: string
  readonly link?: string
  readonly items?: readonly Listed[]
}

/** Returns the entries of the package with their categories. A list of all names would be most of each page. */
function entries(): DefaultTheme.SidebarItem[] {
  const listed: Listed[] = JSON.parse(readFileSync(join(root, 'reference/typedoc-sidebar.json'), 'utf8'))
  return listed.map(({ text, link = '', items = [] }) => ({
    text,
    link,
    collapsed: false,
    items: items.map((category) => ({
      text: category.text,
      link: `${link.replace(/\.md$/, '')}#${category.text.toLowerCase().replaceAll(' ', '-')}`,
    })),
  }))
}

const packaged = (path: string) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url))

/** Finds Vue for pages outside of the folder that has it. The build that renders the pages loads it by its name. */
const vueOfThisFolder = {
  name: 'vue-of-this-folder',
  enforce: 'pre' as const,
  resolveId(source: string, _: string | undefined, { ssr = false }: { ssr?: boolean }) {
    if (!/^vue(?:\/server-renderer)?$/.test(source)) return null
    return ssr ? { id: source, external: true } : packaged('vue/dist/vue.runtime.esm-bundler.js')
  },
}

/** Pages of the repository that are no pages of the site. */
const otherPages = [
  ...['**/node_modules/**', '**/dist/**', 'api/**', 'bench/**', 'coverage/**', 'site/**', 'src/**'],
  ...['test/**', 'test-results/**', 'README.md', '.cache/**'],
]

/** Returns the guides in the groups and the order of their index. */
function guides(): DefaultTheme.SidebarItem[] {
  const groups: DefaultTheme.SidebarItem[] = []
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1]
    if (heading) groups.push({ text: heading, collapsed: groups.length > 1, items: [] })
    const [, text, path] = /^- \[([^\]]+)\]\(([^)#]+)\)/.exec(line) ?? []
    if (text && path) groups.at(-1)?.items?.push({ text, link: `/${pageOf(join('docs', path))}` })
  }
  return groups
}

/** Returns the page of a Markdown file. A README is the page of its folder, as where the repository is read. */
const pageOf = (path: string) => path.replace(/README\.md$/, '').replace(/\.md$/, '')

/** Returns the anchor of a row in a table of fields. TypeDoc writes links to it with hyphens. */
function anchorIn(file: string, anchor: string): string {
  const name = anchor.replaceAll('-', '_')
  return name !== anchor && readFileSync(file, 'utf8').includes(`<a id="${name}">`) ? name : anchor
}

/** Leads links to a README to its folder, and removes links to files that are no pages, such as sources. */
function adaptLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
    const folder = dirname(String(env.relativePath).replace(/index\.md$/, 'README.md'))
    for (const { children } of tokens)
      for (const [i, token] of (children ?? []).entries()) {
        const href = token.type === 'link_open' ? String(token.attrGet('href')) : ''
        if (href === '' || /^(?:[a-z]+:|#|\/)/.test(href)) continue
        const [path = '', anchor] = href.split('#')
        const file = join(root, normalize(join(folder, path)))
        const isFolder = existsSync(file) && statSync(file).isDirectory()
        const isPage = /\.md$/.test(path) || (isFolder && existsSync(join(file, 'README.md')))
        if (isPage) {
          const page = pageOf(relative(root, isFolder ? join(file, 'README.md') : file))
          token.attrSet(
            'href',
            `/${page}${anchor === undefined ? '' : `#${isFolder ? anchor : anchorIn(file, anchor)}`}`,
          )
          continue
        }
        token.tag = 'span'
        token.attrs = null
        const end = children?.slice(i).find(({ type }) => type === 'link_close')
        if (end) end.tag = 'span'
      }
    return true
  })
}

/** Marks the pictures that scroll on a phone, so that people with a keyboard can reach and scroll them. */
function framePictures(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('pictures', ({ tokens }) => {
    for (const [i, { children }] of tokens.entries()) {
      const [only, ...others] = children ?? []
      if (only?.type !== 'image' || others.length > 0 || !only.attrGet('src')?.endsWith('.svg')) continue
      tokens[i - 1]?.attrSet('class', 'picture')
      tokens[i - 1]?.attrSet('tabindex', '0')
    }
    return true
  })
}

/** As GitHub does, so that links with anchors lead to the same place there. */
const anchorOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

export default defineConfig({
  srcDir: root,
  srcExclude: otherPages,
  outDir: process.env.SITE_FOLDER ?? join(root, 'site'),
  cacheDir: join(root, '.cache/vitepress'),
  // Otherwise every page contains the list of all names.
  metaChunk: true,
  rewrites: {
    'docs/site/index.md': 'index.md',
    'docs/README.md': 'docs/index.md',
    'docs/decisions/README.md': 'docs/decisions/index.md',
    'examples/README.md': 'examples/index.md',
    'examples/:name/README.md': 'examples/:name/index.md',
    'findings/README.md': 'findings/index.md',
  },
  buildEnd: writeForPrograms,
  title: 'identity-service-sdk',
  description: 'Verify people, sign them in and manage a roster, from Node.',
  cleanUrls: false,
  head: [['link', { rel: 'icon', href: '/icon.svg' }]],
  markdown: {
    config(markdown) {
      adaptLinks(markdown)
      framePictures(markdown)
    },
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: {
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
    plugins: [vueOfThisFolder],
    // The index of the search is one file.
    build: { chunkSizeWarningLimit: 10_000 },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    nav: [
      {
        text: 'Guides',
        link: '/docs/getting-started',
        activeMatch: '^/(?:docs|examples)/',
      },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: { '/': guides(), '/reference/': entries() },
    outline: [2, 3],
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

/** The front page of the site is not for readers of the repository. */
const siteFolder = 'docs/site'

/** Every page of the documentation, by its path from the root of the repository. */
export const publicPages: readonly string[] = [
  ...markdownIn('.', false),
  ...markdownIn('docs', true),
  ...markdownIn('examples', true),
].sort()

function markdownIn(folder: string, recursive: boolean): string[] {
  return readdirSync(fileURLToPath(new URL(folder, root)), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`
    // An installed example links back to this repository, so the recursive option of Node would never end.
    if (path === siteFolder) return []
    if (entry.isDirectory() && entry.name !== 'node_modules') return recursive ? markdownIn(path, true) : []
    return entry.isFile() && entry.name.endsWith('.md') ? [path] : []
  })
}

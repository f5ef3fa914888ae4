import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

/** Every page that people read, by its path from the root of the repository. */
export const publicPages: readonly string[] = [
  ...markdownIn('.', false),
  ...markdownIn('docs', true),
  ...markdownIn('examples', true),
].sort()

function markdownIn(folder: string, recursive: boolean): string[] {
  const files = readdirSync(fileURLToPath(new URL(folder, root)), { recursive, encoding: 'utf8' })
  const pages = files.filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
  return pages.map((file) => (folder === '.' ? file : `${folder}/${file}`))
}

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
  return readdirSync(fileURLToPath(new URL(folder, root)), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`
    // An example that is installed leads back here: "recursive" of Node would follow it round and round.
    if (entry.isDirectory() && entry.name !== 'node_modules') return recursive ? markdownIn(path, true) : []
    return entry.isFile() && entry.name.endsWith('.md') ? [path] : []
  })
}

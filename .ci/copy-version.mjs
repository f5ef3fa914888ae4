// Copies the version of package.json to lock files, and to pages that name the tarball. `npm version` runs it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
const tracked = (pattern) =>
  execFileSync('git', ['ls-files', '-z', pattern], { encoding: 'utf8' }).split('\0').filter(existsSync)

for (const file of tracked('*package-lock.json')) {
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  if (lock.name === name) lock.version = version
  // The lock file of an example has an entry for the folder of the package.
  for (const locked of Object.values(lock.packages)) if (locked.name === name) locked.version = version
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}

const tarball = new RegExp(`${name}-\\d[\\w.-]*\\.tgz`, 'g')
for (const file of tracked('*.md')) {
  const text = readFileSync(file, 'utf8')
  const updated = text.replace(tarball, `${name}-${version}.tgz`)
  if (updated !== text) writeFileSync(file, updated)
}

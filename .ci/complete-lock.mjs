// Adds the binaries of other platforms to lock files: `node .ci/complete-lock.mjs test/consumers/package-lock.json`.
// A registry that does not carry a platform's package leaves it out of the lock file, and `npm ci` then
// rejects the file on every platform.
import { readFileSync, writeFileSync } from 'node:fs'

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64']

/** Finds the platform in a name such as `@rollup/rollup-win32-x64-msvc`. */
function platformOf(name) {
  const words = name.split(/[-./]/)
  const os = systems.filter((system) => words.includes(system))
  const cpu = processors.filter((processor) => words.includes(processor))
  return os.length && cpu.length ? { cpu, os } : undefined
}

/** Tells whether the package at `path` finds `name` in its own node_modules or in one above. */
function isLocked(packages, path, name) {
  for (let folder = path; ; folder = folder.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    if (packages[folder ? `${folder}/node_modules/${name}` : `node_modules/${name}`]) return true
    if (!folder) return false
  }
}

for (const file of process.argv.slice(2)) {
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const added = []
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(lock.packages))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const platform = platformOf(name)
      if (!platform || isLocked(lock.packages, path, name)) continue
      const { cpu, os } = platform
      lock.packages[`node_modules/${name}`] = { version, cpu, ...(dev && { dev }), optional: true, os }
      added.push(`${name}@${version}`)
    }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${file}: ${added.length} added`)
}

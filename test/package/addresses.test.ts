import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = temporaryFolder()
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

it('no file but .github/CODEOWNERS has a placeholder for an address, and CONTRIBUTING.md says how it is replaced', () => {
  const forms = ['your[-]org', 'github\\.com/(your|owner|org|example)', '[">]TBD\\b']
  const others = ['.github/CODEOWNERS', 'CONTRIBUTING.md', '.ci', 'test'].map((path) => `:!${path}`)

  const { stdout, stderr } = spawnSync('git', ['grep', '-liE', forms.join('|'), '--', '.', ...others], {
    cwd: root,
    encoding: 'utf8',
  })

  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
  const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  expect(contributing).toContain('`.github/CODEOWNERS`')
  expect(contributing).toContain('`node .ci/set-addresses.mjs https://github.com/')
})

it('.ci/set-addresses.mjs writes every address that follows from the one of the repository', () => {
  for (const path of ['package.json', '.github/CODEOWNERS']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  const before = JSON.parse(read('package.json'))
  const script = join(root, '.ci/set-addresses.mjs')

  for (const address of ['https://github.com/acme/identity', 'https://github.com/acme/identity.git/'])
    execFileSync(process.execPath, [script, address], { cwd: folder })

  expect(JSON.parse(read('package.json'))).toEqual({
    ...before,
    homepage: 'https://github.com/acme/identity#readme',
    bugs: { url: 'https://github.com/acme/identity/issues' },
    repository: { type: 'git', url: 'git+https://github.com/acme/identity.git' },
  })
  expect(read('.github/CODEOWNERS')).toMatch(/ @[\w-]+\/security$/m)
  expect(read('.github/CODEOWNERS')).not.toMatch(/your-org/)
})

it('.ci/set-addresses.mjs changes nothing if the address is not one of a repository', () => {
  writeFileSync(join(folder, 'package.json'), '{}')

  expect(() =>
    execFileSync(process.execPath, [join(root, '.ci/set-addresses.mjs'), 'acme/identity'], {
      cwd: folder,
      stdio: 'pipe',
    }),
  ).toThrow('Pass the address of the repository')
  expect(read('package.json')).toBe('{}')
})

// Writes what follows from the address of the repository: `node .ci/set-addresses.mjs https://github.com/OWNER/NAME`.
import { readFileSync, writeFileSync } from 'node:fs'

const [, address, owner] = /^(https:\/\/[^/\s]+\/([^/\s]+)\/[^/\s]+?)(?:\.git)?\/?$/.exec(process.argv[2] ?? '') ?? []
if (address === undefined) throw new Error('Pass the address of the repository: https://HOST/OWNER/NAME')

const manifest = {
  ...JSON.parse(readFileSync('package.json', 'utf8')),
  homepage: `${address}#readme`,
  bugs: { url: `${address}/issues` },
  repository: { type: 'git', url: `git+${address}.git` },
}
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`)

const owners = '.github/CODEOWNERS'
writeFileSync(owners, readFileSync(owners, 'utf8').replaceAll('@your-organization/', `@${owner}/`))

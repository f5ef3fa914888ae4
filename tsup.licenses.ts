import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** Folders of packages of which something is in the build, by name. */
const bundled = new Map<string, string>()

/**
 * Writes the licence of each package that is bundled next to the build. Bundles of one run add to one file, whichever
 * ends last.
 */
export const thirdPartyLicenses = (file: string): Plugin => ({
  name: 'third-party-licenses',
  setup(build) {
    build.initialOptions.metafile = true
    build.onEnd(({ metafile }) => {
      const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs))
      for (const [path, { bytesInOutput }] of inputs) {
        const [folder, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
        if (folder && name && bytesInOutput > 0) bundled.set(name, folder)
      }
      const sections = [...bundled].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, folder]) => section(folder))
      mkdirSync(join(file, '..'), { recursive: true })
      // Synchronously, because two bundles may end at the same time.
      writeFileSync(file, `Parts of these packages are in this build.\n\n${sections.join('\n')}`)
    })
  },
})

function section(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const notices = readdirSync(folder).filter((entry) => /^(?:licen[cs]e|notice)\b/i.test(entry))
  // A build that cannot say on which terms it carries something must not be published.
  if (notices.length === 0) throw new Error(`${name} has no licence to copy`)
  const texts = notices.map((entry) => readFileSync(join(folder, entry), 'utf8').trim())
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`
}

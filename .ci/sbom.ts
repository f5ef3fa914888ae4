import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
}

const manifestIn = (folder: string): Manifest & { readonly dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))

/** The files of the build that contain code of a package, by the folder of the package. */
const filesByPackage = new Map<string, Set<string>>()

/** Writes the packages whose code is in the build, and the dependencies, to `dist/sbom.cdx.json` (CycloneDX 1.6). */
export const sbom: Plugin = {
  name: 'sbom',
  setup(build) {
    build.onEnd(({ metafile }) => {
      for (const [file, { inputs }] of Object.entries(metafile?.outputs ?? {}))
        for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
          const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
          if (folder === undefined || bytesInOutput === 0) continue
          filesByPackage.set(folder, (filesByPackage.get(folder) ?? new Set()).add(file))
        }
      mkdirSync('dist', { recursive: true })
      // tsup builds several times, in any order. The last time, the list is complete.
      writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(listed())}\n`)
    })
  },
}

/** Returns the document. It has neither a time nor a random number, so that a second build has the same bytes. */
function listed() {
  const { dependencies, ...manifest } = manifestIn('.')
  const root = component(manifest, manifest.version)
  const bundled = [...filesByPackage].map(([folder, files]) => {
    const found = manifestIn(folder)
    const occurrences = [...files].sort().map((location) => ({ location }))
    return { ...component(found, found.version), evidence: { occurrences } }
  })
  // npm chooses their versions when the package is installed.
  const installed = Object.entries(dependencies).map(([name, range]) => ({
    ...component(manifestIn(`node_modules/${name}`)),
    description: `A dependency, which npm installs in a version of ${range}`,
  }))
  const components = [...bundled, ...installed].sort((a, b) => (a.purl < b.purl ? -1 : 1))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: root },
    components,
    dependencies: [{ ref: root.purl, dependsOn: components.map(({ purl }) => purl) }],
  }
}

function component({ name, license }: Manifest, version?: string) {
  const [last = name, group] = name.split('/').reverse()
  const purl = `pkg:npm/${name.replace('@', '%40')}${version === undefined ? '' : `@${version}`}`
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name: last,
    ...(version !== undefined && { version }),
    licenses: [{ license: { id: license } }],
    purl,
  }
}

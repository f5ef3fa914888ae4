import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { bundledPackages } from './bundled-packages.ts'

interface Component {
  readonly group?: string
  readonly name: string
  readonly version?: string
  readonly licenses: readonly { readonly license: { readonly id: string } }[]
  readonly purl: string
  readonly description?: string
  readonly evidence?: { readonly occurrences: readonly { readonly location: string }[] }
}

interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

let installed: InstalledPackage
let text: string
let bom: Bom

beforeAll(async () => {
  installed = await installPackage()
  text = readFileSync(join(installed.folder, 'dist/sbom.cdx.json'), 'utf8')
  bom = JSON.parse(text)
}, 60_000)

afterAll(() => installed.remove())

const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`)

const manifestOf = (name: string): { version: string; license: string } =>
  JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))

it('dist/sbom.cdx.json is valid CycloneDX 1.6', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)

  expect(await validator.validate(text)).toBeNull()
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
})

it('dist/sbom.cdx.json describes the version of the package that contains it', () => {
  const { name, version } = JSON.parse(readFileSync(join(installed.folder, 'package.json'), 'utf8'))

  const purl = `pkg:npm/${name}@${version}`
  expect(bom.metadata.component).toMatchObject({ name, version, purl })
  expect(bom.dependencies).toEqual([{ ref: purl, dependsOn: bom.components.map((one) => one.purl) }])
})

it('dist/sbom.cdx.json lists every package in the build, with its version, its license and the files that contain it', () => {
  const listed = bom.components
    .filter(({ evidence }) => evidence !== undefined)
    .map((component) => ({
      name: nameOf(component),
      version: component.version,
      licenses: component.licenses.map(({ license }) => license.id),
      purl: component.purl,
      files: component.evidence?.occurrences.map(({ location }) => location),
    }))

  const bundled = [...bundledPackages(installed.folder)].map(([name, files]) => {
    const { version, license } = manifestOf(name)
    return {
      name,
      version,
      licenses: [license],
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      files,
    }
  })
  expect(bundled.length).toBeGreaterThan(10)
  expect(listed).toEqual(bundled)
})

it('dist/sbom.cdx.json lists the dependencies without a version, because npm chooses it', () => {
  const { dependencies } = installed.manifest

  const listed = bom.components.filter(({ version }) => version === undefined)
  expect(listed.map(({ name, purl }) => [name, purl])).toEqual(
    Object.keys(dependencies).map((name) => [name, `pkg:npm/${name}`]),
  )
  for (const { name, description } of listed) expect(description).toContain(dependencies[name])
})

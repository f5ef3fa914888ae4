import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

type Kind = 'import' | 'require'
type NamesByEntry = Readonly<Record<string, readonly string[]>>

/** Returns the names of the values that each entry exports at run time. */
async function exportedValues(kind: Kind): Promise<NamesByEntry> {
  const [ending, load] = kind === 'import' ? ['mjs', 'await import'] : ['cjs', 'require']
  const entries = installed.entries(kind).map(({ name }) => name)
  const output = await installed.run(
    `names.${ending}`,
    `const own = (loaded) => Object.keys(loaded).filter((name) => name !== 'default' && name !== '__esModule').sort()
     const all = async () => {
       const names = {}
       for (const entry of ${JSON.stringify(entries)}) names[entry] = own(${load}(entry))
       console.log(JSON.stringify(names))
     }
     all()`,
  )
  return JSON.parse(output)
}

/** Returns the names of the values that the declarations of each entry declare: the members of `import * as entry`. */
function declaredValues(kind: Kind): NamesByEntry {
  const entries = installed.entries(kind)
  const files = entries.map(({ declarations }) => declarations)
  const program = ts.createProgram(files, { noLib: true, types: [], module: ts.ModuleKind.NodeNext })
  const checker = program.getTypeChecker()
  return Object.fromEntries(
    entries.map(({ name, declarations }) => {
      const source = program.getSourceFile(declarations)
      const module = source && checker.getSymbolAtLocation(source)
      if (!module) throw new Error(`${name}: no declarations in ${declarations}`)
      const members = checker.getPropertiesOfType(checker.getTypeOfSymbol(module))
      return [name, members.map((member) => member.name).sort()]
    }),
  )
}

it('every entry loads as an ES module and as CommonJS, with the same names', async () => {
  const names = await exportedValues('import')

  expect(await exportedValues('require')).toEqual(names)
  expect(Object.keys(names)).toEqual(installed.entries('import').map(({ name }) => name))
  expect(Object.values(names)).not.toContainEqual([])
}, 30_000)

it.each(['import', 'require'] as const)(
  'every entry exports the values that its declarations declare, and no others (%s)',
  async (kind) => {
    expect(await exportedValues(kind)).toEqual(declaredValues(kind))
  },
  30_000,
)

it.each(['VerificationClient', 'OrgClient', 'OidcClient'])(
  'the class %s has its own name',
  async (name) => {
    const printed = (load: string) => `${load}.then((sdk) => console.log(sdk.${name}.name))`

    const fromModule = await installed.run('name.mjs', printed("import('identity-service-sdk')"))
    const fromScript = await installed.run('name.cjs', printed("Promise.resolve(require('identity-service-sdk'))"))

    expect([fromModule.trim(), fromScript.trim()]).toEqual([name, name])
  },
  30_000,
)

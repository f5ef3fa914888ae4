// Writes what the bundler does not: the OpenAPI document, and the declarations of the ES modules. The build runs it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createOpenApiDocument } from '../tools/openapi/document.ts'
import { entries } from '../tsup.config.ts'

writeFileSync('dist/openapi.json', `${JSON.stringify(createOpenApiDocument())}\n`)

// Those of CommonJS are the same, and an ES module may import them. So a class has one type, however it is imported. An
// entry that names a package is written out, because an ES module may see other declarations of that package.
for (const entry of Object.keys(entries)) {
  if (!existsSync(`dist/${entry}.d.cts`)) continue
  // The bundler exports this enum as a value. It is a type only: it does not exist at run time.
  const text = readFileSync(`dist/${entry}.d.cts`, 'utf8').replace(/export \{[^}]*\}/g, (names) =>
    names.replace(/(?:\w+ as )?\bUnlisted\b/, 'type $&'),
  )
  writeFileSync(`dist/${entry}.d.cts`, text)
  const namesPackage = / from '[^.'][^']*';/.test(text)
  writeFileSync(`dist/${entry}.d.ts`, namesPackage ? text : `export * from './${basename(entry)}.cjs'\n`)
}

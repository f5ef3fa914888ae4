import { expect, it } from 'vitest'
import { configSchema } from './config-schema.ts'

const schemaFile = new URL('../../../emulator.schema.json', import.meta.url)

it('the schema of the configuration is that of the options', async () => {
  // In one line, because 15 KB of spaces would count toward the 5 MiB that the package may have.
  await expect(`${JSON.stringify(configSchema())}\n`).toMatchFileSnapshot(schemaFile.pathname)
})

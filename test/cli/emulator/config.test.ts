import { expect, it } from 'vitest'
import { configSchema } from './config-schema.ts'

it('the schema of the configuration is that of the options', async () => {
  await expect(`${JSON.stringify(configSchema(), undefined, 2)}\n`).toMatchFileSnapshot(
    '../../../emulator.schema.json',
  )
}, 60_000)

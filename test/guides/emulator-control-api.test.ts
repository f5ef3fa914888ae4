import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/emulator-control-api.md'
const guide = documentedCode('docs/guides/emulator-control-api.md')

it('the controls work from any language', async () => {
  expect(await guide.runAlone('Control the emulator from any language')).toBe('')
})

it('the table of controls lists every control with its summary', async () => {
  const response = await createEmulator().at('http://127.0.0.1:1')('http://127.0.0.1:1/_emulator/api/openapi.json')
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, { summary: string }>> }
  const controls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => [`${method.toUpperCase()} ${path}`, summary]),
  )
  const [names, summaries] = [0, 1].map((index) => columnOf(page, 'Controls', index))

  expect(new Map(names?.map((name, i) => [name, summaries?.[i]]))).toEqual(new Map(controls as [string, string][]))
})

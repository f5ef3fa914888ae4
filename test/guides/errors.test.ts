import { readdirSync, readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { EmulatorError } from '../../src/emulator.ts'
import * as exported from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/reference/errors.md'
const guide = documentedCode('docs/reference/errors.md')
const { emulator } = guide
const at = (path: string) => new URL(`../../${path}`, import.meta.url)

beforeEach(() => emulator.reset())

it('errors are constructed as the page shows', async () => {
  expect(await guide.run('Construct errors in tests')).toBe(
    '404 true checks.age: an attempt outlasted timeoutMs (5000 ms)\n',
  )
})

/** Every class that a caller can catch, with its status or its code. */
const classes = Object.entries({ ...exported, EmulatorError }).filter(
  ([name, value]) => /^[A-Z]\w*Error$/.test(name) && typeof value === 'function',
)

it('the tables list every error class', () => {
  const listed = [...columnOf(page, 'Classes by status', 1), ...columnOf(page, 'Properties by class')]
  const roots = ['SdkError', 'CallError']

  expect([...listed.map((cell) => cell.replace(' and its subclasses', '')), ...roots].sort()).toEqual(
    classes.map(([name]) => name).sort(),
  )
})

it.each(columnOf(page, 'Classes by status').map((status, row) => ({ status, row })))(
  'status $status is thrown as the class that the table gives',
  async ({ status, row }) => {
    const client = new exported.VerificationClient({ ...emulator.options.verification, maxRetries: 0 })
    emulator.faults.add({ status: Number(status.replace('xx', '01')) })

    const error: unknown = await client.sessions.list().catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({ name: columnOf(page, 'Classes by status', 1)[row] })
  },
)

it('the table gives the code of every class', () => {
  const files = ['src/errors', 'src/emulator'].flatMap((folder) =>
    readdirSync(at(folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(at(`${folder}/${file}`), 'utf8')),
  )
  const declared = files.flatMap((source) => [
    ...source.matchAll(/class (\w+) extends \w+ \{\s+readonly code = '(\w+)'/g),
  ])
  const names = columnOf(page, 'Properties by class')
  const codes = columnOf(page, 'Properties by class', 1)

  expect(declared.length).toBeGreaterThan(15)
  for (const [, name, code] of declared) expect(codes[names.indexOf(String(name))], name).toBe(code)
})

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addressOf, consolePages } from '../../src/emulator/console/layout.ts'
import { runCli, temporaryFolder } from '../cli/terminal.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/guides/emulator-server.md'

it('the table of the console lists every page with its path', () => {
  const [names, paths] = [0, 1].map((index) => columnOf(page, 'Use the console', index))
  const pages = Object.keys(consolePages) as (keyof typeof consolePages)[]

  expect(names).toEqual(pages.map((page) => consolePages[page].name))
  expect(paths).toEqual(pages.map((page) => addressOf(page)))
})

it('the configuration in the guide is valid, and the commands in it have options that exist', async () => {
  const section = 'Run it from the command line'
  const file = join(await temporaryFolder(), 'emulator.json')
  await writeFile(file, blockOf(page, 'json', section))
  const command = ['dev', '--port', '0', '--config', file, '--', process.execPath, '--version']
  const { stdout: help } = await runCli('emulator --help')
  const whole = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  const [, text = ''] = whole.split(`## ${section}`)
  const options = new Set(text.split(/^## /m)[0]?.match(/(?<=[ `])--[a-z][a-z-]*/g))

  expect((await runCli(command, { env: process.env })).status).toBe(0)
  expect([...options].filter((option) => !help.includes(option))).toEqual([])
  expect(options.size).toBeGreaterThan(8)
})

it('the page of guarantees names the pages of the console that cause failures', () => {
  const guarantees = readFileSync(new URL('../../docs/explanation/guarantees.md', import.meta.url), 'utf8')

  for (const page of ['faults', 'webhooks', 'checks', 'overview'] as const)
    expect(guarantees).toContain(`\`${addressOf(page)}\``)
})

// Misspelled on purpose: cspell:ignore EXPOES

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ValidationSeverity, validate } from 'dockerfile-utils'
import { expect, it, onTestFinished } from 'vitest'
import { installPackage } from '../support/installed-package.ts'
import { describeUnless } from '../support/programs.ts'
import { examplePath } from './program.ts'

const dockerfile = readFileSync(examplePath('docker/Dockerfile'), 'utf8')

it.each(['docker', 'complete-app'])('the Dockerfile of %s passes all rules of a linter', (example) => {
  const source = readFileSync(examplePath(`${example}/Dockerfile`), 'utf8')
  const rules = Object.fromEntries(
    ['deprecatedMaintainer', 'directiveCasing', 'emptyContinuationLine', 'instructionCasing'].map((rule) => [
      rule,
      ValidationSeverity.ERROR,
    ]),
  )

  expect(validate(source, rules)).toEqual([])
  expect(validate(source.replace('EXPOSE', 'EXPOES'), rules)).not.toEqual([])
})

/** Network namespaces stand for containers. Creating them takes the permissions of root. */
const missing = process.getuid?.() === 0 && existsSync('/usr/sbin/ip') ? [] : ['ip as root']

describeUnless(missing, 'that containers of Compose call the emulator by its name', () => {
  it('a container calls the emulator with the settings of compose.yaml, and not without SVC_EMULATOR_HOST', async () => {
    const installed = await installPackage()
    onTestFinished(() => installed.remove())
    const program = [process.execPath, join(installed.folder, 'dist/cli.js')]
    const compose = readFileSync(examplePath('docker/compose.yaml'), 'utf8')
    const list = (text: string, name: string): string[] =>
      JSON.parse(new RegExp(`^ *${name}:? (\\[.+\\])$`, 'm').exec(text)?.[1] ?? '')
    const [, ...entrypoint] = list(dockerfile, 'ENTRYPOINT')
    const settings = Object.fromEntries(
      [...compose.matchAll(/^ +(SVC_\w+): (\S+)$/gm)].map(([, name, value]) => [name, value]),
    )
    const hosts = connectedNamespaces(['emulator', 'app'])

    const args = ['netns', 'exec', hosts.emulator, ...program, ...entrypoint, ...list(compose, 'command')]
    const emulator = spawn('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void emulator.kill())
    let printed = ''
    emulator.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    await expect.poll(() => printed).toContain('SVC_EMULATOR_HOST=emulator')

    const doctor = async (env: Readonly<Record<string, string | undefined>>) => {
      const run = ['netns', 'exec', hosts.app, ...program, 'doctor']
      const child = spawn('ip', run, { env: { PATH: process.env.PATH, ...env } })
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
      const [status] = await once(child, 'close')
      return { status, output }
    }
    const found = await doctor(settings)

    expect(found.output).toMatch(/SVC_BASE_URL/)
    expect(found.status, found.output).toBe(0)
    const without = await doctor({ ...settings, SVC_EMULATOR_HOST: undefined })
    expect([without.status, without.output]).toEqual([1, expect.stringContaining('SVC_EMULATOR_HOST')])
  })
})

/** Creates network namespaces that reach each other by name. */
function connectedNamespaces(names: readonly ['emulator', 'app']) {
  const [emulator, app] = names.map((name) => `sdk-${name}-${process.pid}`) as [string, string]
  const ip = (...args: string[]) => execFileSync('ip', args)
  ip('netns', 'add', emulator)
  ip('netns', 'add', app)
  onTestFinished(() => {
    for (const namespace of [emulator, app]) {
      ip('netns', 'delete', namespace)
      rmSync(`/etc/netns/${namespace}`, { recursive: true, force: true })
    }
  })
  ip('-n', emulator, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', app)
  for (const [i, namespace] of [emulator, app].entries()) {
    ip('-n', namespace, 'address', 'add', `10.77.77.${i + 1}/24`, 'dev', 'eth0')
    for (const device of ['lo', 'eth0']) ip('-n', namespace, 'link', 'set', device, 'up')
    mkdirSync(`/etc/netns/${namespace}`, { recursive: true })
    writeFileSync(`/etc/netns/${namespace}/hosts`, '127.0.0.1 localhost\n10.77.77.1 emulator\n10.77.77.2 app\n')
  }
  return { emulator, app }
}

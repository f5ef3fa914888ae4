import type { Command } from 'commander'
import { subcommand } from '../command.ts'
import { readSettings, type Settings, type SettingsOptions } from '../env-settings.ts'
import { type Shell, styled } from '../shell.ts'
import { checkConfiguration, validBaseUrl } from './configuration.ts'
import { checkCredentialsOnline } from './credentials.ts'
import type { Finding } from './finding.ts'
import { checkHost } from './host.ts'
import { checkKeys } from './keys.ts'

const styles = { ok: 'green', warn: 'yellow', fail: 'red' } as const

export function addDoctor(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'doctor',
    summary: 'check settings, network, clock, TLS, keys and credentials, and suggest fixes',
    examples: ['doctor', 'doctor --env-from production.env --json'],
    notes: `The doctor prints no secrets and changes nothing. Its calls are sessions.list, credentials.listStates,
members.list, and a read of the key set. The exit status is 1 if a check fails. Warnings do not change it.`,
  }).action(async (flags: SettingsOptions) => diagnose(shell, await readSettings(shell, flags)))
}

async function diagnose(shell: Shell, settings: Settings): Promise<void> {
  const findings: Finding[] = []
  for await (const finding of runChecks(shell, settings)) {
    findings.push(finding)
    if (!shell.json) printFinding(shell, finding)
  }
  const count = (wanted: Finding['status']) => findings.filter(({ status }) => status === wanted).length
  const failed = count('fail')
  if (failed > 0) shell.exit = 'negative'
  if (shell.json) return shell.printJson({ ok: failed === 0, findings })
  shell.print()
  shell.print(`Failed checks: ${failed}, warnings: ${count('warn')}`)
}

async function* runChecks(shell: Shell, settings: Settings): AsyncGenerator<Finding> {
  yield* checkConfiguration(settings)
  const base = validBaseUrl(settings.SVC_BASE_URL)
  const org = validBaseUrl(settings.SVC_ORG_BASE_URL)
  const hosts = new Map([base, org].flatMap((url) => (url === undefined ? [] : [[new URL(url).origin, url]])))
  for (const url of hosts.values()) yield* checkHost(url, settings, shell.context)
  if (base !== undefined) yield await checkKeys(base, shell.context)
  yield* checkCredentialsOnline(shell, settings)
}

function printFinding(shell: Shell, { check, status, detail, advice }: Finding): void {
  shell.print(styled(styles[status], status.padEnd(4)), `  ${check}: ${detail}`)
  if (advice !== undefined) shell.print(`      ${advice}`)
}

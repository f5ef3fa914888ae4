import type { Command } from 'commander'
import { subcommand } from '../command.ts'
import { readSettings, type Settings, type SettingsOptions } from '../settings.ts'
import { printable, type Shell } from '../shell.ts'
import { checkConfiguration, usable } from './configuration.ts'
import { checkAccess } from './credentials.ts'
import type { Finding } from './finding.ts'
import { checkHost } from './host.ts'
import { checkKeys } from './keys.ts'

const styles = { ok: 'green', warn: 'yellow', fail: 'red' } as const

export function addDoctor(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'doctor',
    summary: 'check settings, network, clock, TLS, keys and credentials, and say what to do',
    examples: ['doctor', 'doctor --env-from production.env --json'],
    notes:
      'It shows no secret, changes nothing, and makes no call that is billed. Status 1 if a line says fail.',
  }).action(async (flags: SettingsOptions) => doctor(shell, await readSettings(shell, flags)))
}

async function doctor(shell: Shell, settings: Settings): Promise<void> {
  const findings: Finding[] = []
  for await (const finding of allFindings(shell, settings)) {
    findings.push(finding)
    if (!shell.json) tell(shell, finding)
  }
  const failed = findings.filter(({ status }) => status === 'fail').length
  if (failed > 0) shell.exit = 'no'
  if (shell.json) return shell.sayJson({ ok: failed === 0, findings })
  shell.say(failed === 0 ? '\nno failures' : `\n${failed} to mend`)
}

async function* allFindings(shell: Shell, settings: Settings): AsyncGenerator<Finding> {
  yield* checkConfiguration(settings)
  const base = usable(settings.SVC_BASE_URL)
  const org = usable(settings.SVC_ORG_BASE_URL)
  const hosts = new Map([base, org].flatMap((url) => (url === undefined ? [] : [[new URL(url).origin, url]])))
  for (const url of hosts.values()) yield* checkHost(url, shell.around)
  if (base !== undefined) yield await checkKeys(base, shell.around)
  yield* checkAccess(shell, settings)
}

function tell(shell: Shell, { check, status, detail, advice }: Finding): void {
  const mark = shell.style(styles[status], status.padEnd(4))
  shell.say(`${mark}  ${check}: ${printable(detail)}${advice === undefined ? '' : `\n      ${advice}`}`)
}

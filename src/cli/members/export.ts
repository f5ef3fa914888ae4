import type { Command } from 'commander'
import type { Member } from 'identity-service-sdk'
import { subcommand } from '../command.ts'
import { readSettings, type SettingsOptions } from '../env-settings.ts'
import { printedJson } from '../escape.ts'
import { claimOutput, writeOutput } from '../files/private-file.ts'
import type { Shell } from '../shell.ts'
import { csvNote, toCsv, toCsvFile } from './csv.ts'
import { createOrgClient } from './org-client.ts'

interface ExportFlags extends SettingsOptions {
  readonly out?: string
  readonly force?: boolean
}

const columns = [
  'member_id',
  'email',
  'first_name',
  'last_name',
  'role',
  'status',
  'svc_id',
  'created_at',
] as const satisfies readonly (keyof Member)[]

export function addExport(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'export',
    summary: 'write the members of the organization as CSV or JSON',
    examples: ['members export --out roster.csv', 'members export --json'],
    notes: `The service lists only members with the role "member": owners, admins and developers are missing.
${csvNote}`,
  })
    .option('--out <file>', 'write to a file that only you can read, instead of stdout')
    .option('--force', 'overwrite the file if it exists')
    .action((flags: ExportFlags) => exportMembers(shell, flags))
}

async function exportMembers(shell: Shell, flags: ExportFlags): Promise<void> {
  const { out, force = false } = flags
  const file = out === undefined ? undefined : { path: out, option: '--out' }
  const org = createOrgClient(shell, await readSettings(shell, flags))
  const members: Member[] = []
  for await (const member of org.members.list()) members.push(Object(member))
  if (file === undefined) {
    if (shell.json) return shell.printJson(members)
    return shell.printCsv(toCsv(columns, members))
  }
  await claimOutput(file, { overwrite: force })
  await writeOutput(file, shell.json ? [printedJson(members, 2)] : toCsvFile(columns, members))
  if (shell.json) return shell.printJson({ file: file.path, members: members.length })
  shell.print(`Members written to ${file.path}: ${members.length}`)
}

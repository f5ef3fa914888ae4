import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { Member } from '../../org.ts'
import { subcommand } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { readSettings, type SettingsOptions } from '../settings.ts'
import type { Shell } from '../shell.ts'
import { toCsv } from './csv.ts'
import { organization } from './organization.ts'

interface ExportFlags extends SettingsOptions {
  readonly out?: string
  readonly format?: 'csv' | 'json'
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
    summary: 'write the roster of the organization as CSV or JSON',
    examples: ['members export --out roster.csv', 'members export --format json'],
    notes: `The service lists those with the role "member": owners, admins and developers are not among them.
In CSV, a cell that begins with = + - @ or a tab gets a ' before it, so that no spreadsheet runs it.`,
  })
    .option('--out <file>', 'readable by you alone; without it, stdout')
    .option('--force', 'replace a file that is there')
    .addOption(new Option('--format <format>', 'csv unless --json').choices(['csv', 'json']))
    .action((flags: ExportFlags) => write(shell, flags))
}

async function write(shell: Shell, flags: ExportFlags): Promise<void> {
  const { out, force, format = shell.json ? 'json' : 'csv' } = flags
  const org = organization(shell, await readSettings(shell, flags))
  const { members } = await org.members.list()
  const text = format === 'json' ? `${JSON.stringify(members, null, 2)}\n` : toCsv(columns, members)
  if (out === undefined) return shell.say(text.trimEnd())
  await writeFile(out, text, { flag: force ? 'w' : 'wx', mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new CommandFailure(`${out} is there already: choose another name, or --force`, { code: 'EEXIST' })
  })
  if (shell.json) return shell.sayJson({ file: out, members: members.length })
  shell.say(`${members.length} members in ${out}`)
}

import { Command } from 'commander'
import { prepared } from './command.ts'
import { addDoctor } from './doctor/doctor.ts'
import { addEmulator } from './emulator.ts'
import { exitCodes, exitCodeTable } from './exit-codes.ts'
import { addExplain } from './explain.ts'
import { failureOf } from './failure.ts'
import { addExport } from './members/export.ts'
import { addImport } from './members/import.ts'
import { Shell, type Surroundings } from './shell.ts'
import { addSend } from './webhook/send.ts'
import { addVerify } from './webhook/verify.ts'

declare const __SDK_VERSION__: string

const overview = `
All commands:
  emulator         serve the whole service from memory
  webhook send     post a signed event to an endpoint
  webhook verify   check a delivery that was kept
  members import   add people from a CSV file
  members export   write the roster out
  explain          say what an error code means
  doctor           check settings, network, clock, TLS, keys and credentials

Each has its own --help, with examples.

Exit status:
${exitCodeTable}`

/**
 * Runs one command.
 *
 * @param args as they were typed, without the program
 * @returns the status for the process
 */
export async function run(args: readonly string[], around: Surroundings): Promise<number> {
  const shell = new Shell(around)
  // Known before the rest is read, so that a mistake in the rest is told as JSON too.
  const end = args.indexOf('--')
  shell.json = args.slice(0, end === -1 ? undefined : end).includes('--json')
  try {
    await commandLine(shell).parseAsync(args, { from: 'user' })
  } catch (thrown) {
    const told = failureOf(thrown)
    if (told !== undefined) shell.fail(told)
  }
  return exitCodes[shell.exit].status
}

function commandLine(shell: Shell): Command {
  const program = prepared(new Command('identity-service'), shell)
    .description('The command line of identity-service-sdk.')
    .version(__SDK_VERSION__)
    .addHelpText('after', overview)
  addEmulator(program, shell)
  const webhook = program.command('webhook').description('send and check webhook deliveries')
  addSend(webhook, shell)
  addVerify(webhook, shell)
  const members = program.command('members').description('import and export the roster of an organization')
  addImport(members, shell)
  addExport(members, shell)
  addExplain(program, shell)
  addDoctor(program, shell)
  return program
}

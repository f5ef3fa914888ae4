import { Command, CommanderError, Help } from 'commander'
import { attachToShell } from './command.ts'
import { addDoctor } from './doctor/doctor.ts'
import { addDev } from './emulator/dev.ts'
import { addEmulator } from './emulator/emulator.ts'
import { publicSettings, secretSettings } from './env-settings.ts'
import { exitCodes, exitCodeTable } from './exit-codes.ts'
import { addExplain } from './explain.ts'
import { toFailureReport } from './failure.ts'
import { addExport } from './members/export.ts'
import { addSync } from './members/sync.ts'
import { addOpenApi } from './openapi.ts'
import { type CliContext, Shell } from './shell.ts'
import { usageFailure } from './usage-failure.ts'
import { addSend } from './webhook/send.ts'
import { addVerify } from './webhook/verify.ts'

declare const __SDK_VERSION__: string

const overview = `
Commands:
  dev              run your app with an emulator of the service
  emulator         serve the whole service from memory
  webhook send     send a signed event to your endpoint
  webhook verify   check a saved delivery
  members export   write the members as CSV or JSON
  members sync     add and remove members by a CSV file
  explain          explain an error code
  doctor           check settings, network, clock, TLS, keys and credentials
  openapi          print the OpenAPI document of the service

Run a command with --help for its options and examples.

Settings are read from the environment, and from the file of --env-from, which takes precedence:
  ${publicSettings.join(', ')}
  secrets: ${secretSettings.join(', ')}

Exit status:
${exitCodeTable}`

/**
 * Runs one command.
 *
 * @param args the arguments, without the program's name
 * @returns the exit status of the process
 */
export async function run(args: readonly string[], context: CliContext): Promise<number> {
  const shell = new Shell(context, args)
  const program = createProgram(shell)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (thrown) {
    // Commander throws after it printed help or the version too.
    const isSuccess = thrown instanceof CommanderError && thrown.exitCode === 0
    if (!isSuccess)
      shell.fail(thrown instanceof CommanderError ? usageFailure(thrown, program, args) : toFailureReport(thrown))
  }
  return shell.commandStatus ?? exitCodes[shell.exit].status
}

function createProgram(shell: Shell): Command {
  const program = attachToShell(new Command('identity-service-sdk'), shell)
    .description('The command line of identity-service-sdk.')
    .version(__SDK_VERSION__)
    .addHelpText('after', overview)
  addDev(program, shell)
  addEmulator(program, shell)
  const webhook = program.command('webhook').description('send and check webhook deliveries')
  addSend(webhook, shell)
  addVerify(webhook, shell)
  const members = program.command('members').description('add, remove and export the members of an organization')
  addExport(members, shell)
  addSync(members, shell)
  addExplain(program, shell)
  addDoctor(program, shell)
  addOpenApi(program, shell)
  // The overview lists the commands, with their subcommands.
  const formatHelp: Help['formatHelp'] = (command, helper) =>
    new Help().formatHelp(command, Object.assign(new Help(), helper, { visibleCommands: () => [] }))
  return program.configureHelp({ formatHelp })
}

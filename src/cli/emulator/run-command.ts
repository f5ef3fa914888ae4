import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Environment } from '../../emulator/controls/environment.ts'
import type { Shell } from '../shell.ts'

/** Says that the emulator is meant, also if the command sets `NODE_ENV` to `production`, as `next start` does. */
const isEmulated = { SVC_EMULATOR_ONLY: '1' }

/** The statuses of a shell for a command that cannot be started. */
const notStarted: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  ENOENT: [127, 'was not found. Check its name and the PATH'],
  EACCES: [126, 'cannot be run. Check its permissions'],
}

/**
 * Runs a command with its own standard streams, and passes signals on to it.
 *
 * @returns its status, as a shell reports it: 128 and the number of the signal that ended it
 */
export function runCommand(
  shell: Shell,
  [command = '', ...args]: readonly string[],
  settings: Environment,
): Promise<number> {
  const { env, stdin } = shell.context
  return new Promise((resolve) => {
    // In a group of its own, whose members all get the signals: npm and shells pass none on. In a terminal it would be
    // in the background, where it may not read.
    const isGroup = stdin.isTTY !== true && process.platform !== 'win32'
    const child = spawn(command, args, {
      stdio: 'inherit',
      env: { ...env, ...settings, ...isEmulated },
      detached: isGroup,
    })
    const removeListener = shell.context.onInterrupt((signal) => {
      // A terminal sends Ctrl-C to the command too. Sent twice, it would not wait for anything.
      if (signal === 'SIGINT' && stdin.isTTY) return
      if (!isGroup || child.pid === undefined) return child.kill(signal)
      try {
        process.kill(-child.pid, signal)
      } catch {
        // All of the group have ended.
      }
    })
    child.once('error', (error: NodeJS.ErrnoException) => {
      removeListener()
      const [status, reason] = notStarted[error.code ?? ''] ?? [126, `cannot be started (${error.code})`]
      shell.log(`The command ${command} ${reason}.`)
      resolve(status)
    })
    child.once('exit', (status, signal) => {
      removeListener()
      resolve(status ?? 128 + constants.signals[signal ?? 'SIGKILL'])
    })
  })
}

/** What the status of the process says. The help of every command prints this table. */
export const exitCodes = {
  done: { status: 0, meaning: 'done; `emulator` ended by Ctrl-C' },
  no: { status: 1, meaning: 'it ran, and the answer is no: not valid, not known, a check or a row failed' },
  usage: { status: 2, meaning: 'the command, a setting or a file cannot be used; nothing was sent' },
  service: { status: 3, meaning: 'the service refused or could not be reached' },
  fault: { status: 70, meaning: 'a fault of this program' },
  interrupted: { status: 130, meaning: 'ended early by Ctrl-C' },
} as const

export type ExitCode = keyof typeof exitCodes

export const exitCodeTable = Object.values(exitCodes)
  .map(({ status, meaning }) => `  ${String(status).padStart(3)}  ${meaning}`)
  .join('\n')

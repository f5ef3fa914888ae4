/** The exit statuses of the process. The help of the program prints this table. */
export const exitCodes = {
  success: { status: 0, meaning: 'success, or `emulator` was stopped with Ctrl-C' },
  negative: {
    status: 1,
    meaning: 'negative result: invalid delivery, unexpected response, unknown code, failed check',
  },
  usage: { status: 2, meaning: 'invalid command, setting or file: fix it and run the command again' },
  service: { status: 3, meaning: 'a request failed: the service rejected it, or no response was received' },
  fault: { status: 70, meaning: 'internal error: a bug in this program' },
  interrupted: { status: 130, meaning: 'interrupted with Ctrl-C before the end' },
} as const

export type ExitCode = keyof typeof exitCodes

export const exitCodeTable = Object.values(exitCodes)
  .map(({ status, meaning }) => `  ${String(status).padStart(3)}  ${meaning}`)
  .join('\n')

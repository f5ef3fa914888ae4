import { run } from './run.ts'

/** Ctrl-C, and what a supervisor sends. */
const endings = ['SIGINT', 'SIGTERM'] as const

// Whoever reads us may stop, as `head` does: nothing is left to be said then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt(listener) {
    for (const signal of endings) process.on(signal, listener)
    return () => {
      for (const signal of endings) process.off(signal, listener)
    }
  },
  now: () => new Date(),
})

import { run } from './run.ts'

/** SIGINT is Ctrl-C. Supervisors send SIGTERM, and a terminal that is closed sends SIGHUP. */
const interruptSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

// A reader such as `head` may close the pipe early. That is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`error: the output cannot be written (${error.code}).\n`)
  process.exit(1)
})

// Commands that this one runs get the environment unchanged.
const env = { ...process.env }
process.env.NODE_USE_ENV_PROXY ??= '1'

process.exitCode = await run(process.argv.slice(2), {
  env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt(listener) {
    for (const signal of interruptSignals) process.on(signal, listener)
    return () => {
      for (const signal of interruptSignals) process.off(signal, listener)
    }
  },
  every(ms, act) {
    const timer = setInterval(act, ms)
    // The timer alone must not keep the process alive.
    timer.unref()
    return () => clearInterval(timer)
  },
  now: () => new Date(),
})

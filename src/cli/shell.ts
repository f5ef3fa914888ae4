import { styleText } from 'node:util'
import { escapeUnsafe, printedJson } from './escape.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { FailureReport } from './failure.ts'
import { programName } from './program-name.ts'

export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
}

export type InterruptSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Everything that a command reads from or writes to. Tests pass their own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined }
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /**
   * Calls the listener at each Ctrl-C, which is SIGINT, and at each SIGTERM and SIGHUP. Returns a function that removes
   * the listener.
   */
  onInterrupt(listener: (signal: InterruptSignal) => void): () => void
  /** Calls the function at a regular interval. Returns a function that ends it. */
  every(ms: number, act: () => void): () => void
  readonly now: () => Date
  /** @default the transport of the clients, and globalThis.fetch for requests that no client sends */
  readonly fetch?: typeof globalThis.fetch | undefined
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

/** A text with a style, which is shown if it is printed to a terminal. */
export interface Styled {
  readonly style: Style
  readonly text: string
}

export const styled = (style: Style, text: string): Styled => ({ style, text })

/**
 * One run of the command line: its context, its output and its exit status. Everything that it prints is
 * escaped, because results come from outside.
 */
export class Shell {
  readonly context: CliContext
  /** The arguments, without the program's name. */
  readonly args: readonly string[]
  /**
   * Whether results and errors are printed as JSON. Read before the arguments are parsed, so that it applies to errors
   * of parsing too.
   */
  readonly json: boolean
  exit: ExitCode = 'success'
  /** The exit status of a command that this one has run, in place of `exit`. */
  commandStatus: number | undefined

  constructor(context: CliContext, args: readonly string[]) {
    this.context = context
    this.args = args
    const end = args.indexOf('--')
    this.json = args.slice(0, end === -1 ? undefined : end).includes('--json')
  }

  /** The command line of this run, to be pasted into a POSIX shell. */
  get commandLine(): string {
    return toCommandLine(this.args)
  }

  /** Prints a line of the result to stdout. */
  print(...parts: readonly (string | Styled)[]): void {
    this.#write(this.context.stdout, parts)
  }

  /** Prints the lines of a CSV file to stdout. Line breaks inside cells are kept, unless a terminal shows them. */
  printCsv(lines: readonly string[]): void {
    const { stdout } = this.context
    for (const line of lines) stdout.isTTY ? this.print(line) : stdout.write(`${line}\n`)
  }

  /** Prints the result as JSON. With `singleLine`, each call prints one line, for output as JSON lines. */
  printJson(value: unknown, { singleLine = false } = {}): void {
    this.#writeJson(this.context.stdout, value, singleLine ? undefined : 2)
  }

  /** Prints a line to stderr, so that stdout contains the result alone. */
  log(...parts: readonly (string | Styled)[]): void {
    this.#write(this.context.stderr, parts)
  }

  /** Prints a failure to stderr and sets the exit status. */
  fail({ exit, code, message, requestId, details: command }: FailureReport): void {
    this.exit = exit
    if (this.json) {
      const error = { code, message, ...(requestId === undefined ? {} : { request_id: requestId }) }
      this.#writeJson(this.context.stderr, { error, exit_status: exitCodes[exit].status })
      return
    }
    this.log(styled('red', 'error'), `: ${message}`)
    if (command !== undefined) this.logDetails(command)
  }

  /** Prints to stderr which command describes more. */
  logDetails(command: string): void {
    this.log(styled('dim', `For details, run: ${command}`))
  }

  hasColors(stream: OutputStream): boolean {
    const { NO_COLOR: off, TERM: terminal } = this.context.env
    return stream.isTTY === true && !off && terminal !== 'dumb'
  }

  #write(stream: OutputStream, parts: readonly (string | Styled)[]): void {
    const texts = parts.map((part) => {
      if (typeof part === 'string') return escapeUnsafe(part)
      const text = escapeUnsafe(part.text)
      return this.hasColors(stream) ? styleText(part.style, text, { validateStream: false }) : text
    })
    stream.write(`${texts.join('')}\n`)
  }

  #writeJson(stream: OutputStream, value: unknown, indent?: number): void {
    stream.write(`${printedJson(value, indent)}\n`)
  }
}

/** Returns a command line of this program, to be pasted into a POSIX shell. */
export const toCommandLine = (args: readonly string[]) => [programName, ...args.map(quote)].join(' ')

const quote = (argument: string) =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`

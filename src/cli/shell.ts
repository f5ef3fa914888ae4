import { styleText } from 'node:util'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { FailureReport } from './failure.ts'

export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
}

/** Everything that a command reads from or writes to. Tests pass their own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array | string>
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** Calls the listener at each Ctrl-C. Returns a function that removes the listener. */
  onInterrupt(listener: () => void): () => void
  readonly now: () => Date
  /** @default the transport of the clients, and globalThis.fetch for requests that no client sends */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

/** One run of the command line: its context, its output and its exit status. */
export class Shell {
  readonly context: CliContext
  /** Whether results and errors are printed as JSON. */
  json = false
  exit: ExitCode = 'success'
  readonly #secrets: string[] = []

  /** @param secrets values that are masked in all output */
  constructor(context: CliContext, secrets: readonly (string | undefined)[]) {
    this.context = context
    for (const secret of secrets) this.mask(secret)
  }

  /** Masks a secret in all output from now on. */
  mask(secret: string | undefined): void {
    // Shorter ones occur in ordinary text, where a mask would reveal more than it hides.
    if (secret !== undefined && secret.trim().length >= 6) this.#secrets.push(secret, secret.trim())
  }

  /** Prints a line of the result to stdout. */
  print(line = ''): void {
    this.context.stdout.write(this.#masked(`${line}\n`))
  }

  /** Prints the result as JSON. With `singleLine`, each call prints one line, for output as JSON lines. */
  printJson(value: unknown, { singleLine = false } = {}): void {
    this.print(JSON.stringify(value, null, singleLine ? undefined : 2))
  }

  /** Prints a line to stderr, so that stdout contains the result alone. */
  log(line: string): void {
    this.context.stderr.write(this.#masked(`${line}\n`))
  }

  /** Prints a failure to stderr and sets the exit status. */
  fail({ exit, code, message, requestId, explain }: FailureReport): void {
    this.exit = exit
    if (this.json) {
      const error = {
        code,
        message: message || 'Invalid command or options. Run the command with --help.',
        ...(requestId === undefined ? {} : { request_id: requestId }),
      }
      this.log(JSON.stringify({ error, exit_status: exitCodes[exit].status }))
      return
    }
    if (message === '') return
    const details = requestId === undefined ? code : `${code}, request ${requestId}`
    this.log(`${this.styleError('red', 'error')} (${details}): ${printable(message)}`)
    if (explain !== undefined) this.log(this.styleError('dim', `For details, run: ${explain}`))
  }

  style(style: Style, text: string): string {
    return this.#style(this.context.stdout, style, text)
  }

  styleError(style: Style, text: string): string {
    return this.#style(this.context.stderr, style, text)
  }

  hasColors(stream: OutputStream): boolean {
    const { NO_COLOR: off, TERM: terminal } = this.context.env
    return stream.isTTY === true && !off && terminal !== 'dumb'
  }

  #style(stream: OutputStream, style: Style, text: string): string {
    return this.hasColors(stream) ? styleText(style, text, { validateStream: false }) : text
  }

  #masked(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  }
}

/** Replaces control characters, so that text from outside stays on one line and cannot control the terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u00b7')

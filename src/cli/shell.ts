import { styleText } from 'node:util'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Told } from './failure.ts'
import { secretSettings } from './setting-names.ts'

/** Where a command writes to. */
export interface Screen {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
}

/** All that a command meets. Tests bring their own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array | string>
  readonly stdout: Screen
  readonly stderr: Screen
  /** Hears of each Ctrl-C, until the function that it returns is called. */
  onInterrupt(listener: () => void): () => void
  readonly now: () => Date
  /** @default the transport of the clients, and globalThis.fetch for what is no call of theirs */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

/** One run of the command line: its surroundings, and what it says to them. */
export class Shell {
  readonly around: Surroundings
  /** Results and errors as JSON. */
  json = false
  exit: ExitCode = 'done'
  readonly #secrets: string[] = []

  constructor(around: Surroundings) {
    this.around = around
    for (const name of secretSettings) this.hide(around.env[name])
  }

  /** Keeps a secret out of everything that is said from now on. */
  hide(secret: string | undefined): void {
    // Shorter ones are found in any text: to mask them would tell more than it hides.
    if (secret !== undefined && secret.trim().length >= 6) this.#secrets.push(secret, secret.trim())
  }

  /** Prints a line of the result. */
  say(line = ''): void {
    this.around.stdout.write(this.#clean(`${line}\n`))
  }

  /** Prints the result as JSON: on one line where it is one of many. */
  sayJson(value: unknown, { lines = false } = {}): void {
    this.say(JSON.stringify(value, null, lines ? undefined : 2))
  }

  /** Says something beside the result. */
  note(line: string): void {
    this.around.stderr.write(this.#clean(`${line}\n`))
  }

  fail({ exit, code, message, requestId, hint }: Told): void {
    this.exit = exit
    const id = requestId === undefined ? {} : { request_id: requestId }
    if (this.json) {
      const error = { code, message: message || 'the command cannot be read', ...id }
      this.note(JSON.stringify({ error, exit_status: exitCodes[exit].status }))
      return
    }
    // What commander refuses, it has told already.
    if (message === '') return
    const about = requestId === undefined ? code : `${code}, request ${requestId}`
    this.note(`${this.styleError('red', 'error:')} ${printable(message)} (${about})`)
    if (hint !== undefined) this.note(this.styleError('dim', `see: ${hint}`))
  }

  style(style: Style, text: string): string {
    return this.#style(this.around.stdout, style, text)
  }

  styleError(style: Style, text: string): string {
    return this.#style(this.around.stderr, style, text)
  }

  hasColours(screen: Screen): boolean {
    const { NO_COLOR: off, TERM: terminal } = this.around.env
    return screen.isTTY === true && !off && terminal !== 'dumb'
  }

  #style(screen: Screen, style: Style, text: string): string {
    return this.hasColours(screen) ? styleText(style, text, { validateStream: false }) : text
  }

  #clean(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  }
}

/** Text of others on one line, without what a terminal would obey. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u00b7')

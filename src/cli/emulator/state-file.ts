import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import type { Emulator, EmulatorSnapshot } from 'identity-service-sdk/emulator'
import { isMostlyBrackets } from '../../runtime/bytes.ts'
import { CommandFailure, reasonOf } from '../failure.ts'
import { type OutputFile, readPrivate } from '../files/private-file.ts'
import { replaceFile } from '../files/replace-file.ts'
import type { Shell } from '../shell.ts'

/** The control API accepts snapshots of the same size. */
const maxMiB = 256

/** Changes are written within 5 seconds, and writing takes a part of it. */
const saveEveryMs = 3000

/** The file that holds the state of an emulator while its process is not running. */
export class StateFile {
  readonly #output: OutputFile
  readonly #emulator: Emulator
  /** Whether the file contained a state. */
  readonly isRestored: boolean
  /** The revision of the state that the file contains. */
  #saved: string | undefined
  /** The digest of the file as this process read or wrote it. */
  #known: string
  #saving: Promise<void> = Promise.resolve()

  private constructor(output: OutputFile, emulator: Emulator, text: string) {
    this.isRestored = text !== ''
    this.#known = digestOf(text)
    this.#output = output
    this.#emulator = emulator
  }

  /**
   * Restores the state from a file, if it exists and is not empty.
   *
   * @throws {CommandFailure} the file cannot be read, or is not a snapshot of this version. It is then left unchanged
   */
  static async open(path: string, emulator: Emulator): Promise<StateFile> {
    const output = { path: await realpath(path).catch(() => path), option: '--state' }
    const text = await readPrivate(output, maxMiB)
    if (text !== '') await restore(emulator, text, path)
    return new StateFile(output, emulator, text)
  }

  /** Writes changes every few seconds. Returns a function that ends it. A failure is reported once, and tried again. */
  saveRegularly(shell: Shell): () => void {
    let failure: string | undefined
    return shell.context.every(saveEveryMs, async () => {
      try {
        await this.save()
        failure = undefined
      } catch (error) {
        const reason = reasonOf(error)
        if (reason !== failure) shell.log(`The state was not saved: ${reason}`)
        failure = reason
      }
    })
  }

  /**
   * Writes the state if it has changed since it was written.
   *
   * @throws {CommandFailure} the file cannot be written, or another process has written it
   */
  save(): Promise<void> {
    // One after the other, so that an older state does not replace a newer one.
    this.#saving = this.#saving.catch(() => {}).then(() => this.#save())
    return this.#saving
  }

  async #save(): Promise<void> {
    const { revision } = this.#emulator
    if (revision === this.#saved) return
    const { path } = this.#output
    const found = await readPrivate(this.#output, maxMiB)
    if (found !== '' && digestOf(found) !== this.#known)
      throw new CommandFailure(
        `--state: another process has written ${path}. Its state was kept. Give each emulator a file of its own.`,
      )
    const text = `${JSON.stringify(await this.#emulator.snapshot())}\n`
    await replaceFile(this.#output, text)
    this.#known = digestOf(text)
    this.#saved = revision
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64')

async function restore(emulator: Emulator, text: string, path: string): Promise<void> {
  try {
    if (isMostlyBrackets(text)) throw new SyntaxError('too many objects')
    const snapshot: EmulatorSnapshot = JSON.parse(text)
    await emulator.restore(snapshot)
  } catch (error) {
    const { message } = error as Error
    const reason =
      error instanceof SyntaxError
        ? 'it is not JSON'
        : message.replace(/^emulator\.restore: |\. Nothing was changed$/g, '')
    throw new CommandFailure(
      `--state: ${path} is not the state of an emulator of this version: ${reason}. The file was left unchanged. Choose another file, or delete it.`,
    )
  }
}

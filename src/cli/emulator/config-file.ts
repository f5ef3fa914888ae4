import type { EmulatorOptions } from 'identity-service-sdk/emulator'
import { isJsonObject } from '../../contract/schema/schema.ts'
import { misspelledName } from '../../options/nearest-name.ts'
import { parseJson } from '../../runtime/bytes.ts'
import { CommandFailure } from '../failure.ts'
import { readInput } from '../files/read-input.ts'
import type { Shell } from '../shell.ts'

/** What a file adds when the emulator starts, in the form of the control API. */
const additions = ['faults', 'webhookFaults', 'checks'] as const

type Additions = { readonly [Name in (typeof additions)[number]]: readonly object[] }

/** The content of the file of `--config`. The emulator checks its own options, and each addition. */
export interface EmulatorConfig extends Additions {
  readonly options: EmulatorOptions
}

/** The content without a file. */
export const emptyConfig: EmulatorConfig = { options: {}, faults: [], webhookFaults: [], checks: [] }

/**
 * Reads the file of `--config`.
 *
 * @throws {CommandFailure} the file cannot be read, or is not a JSON object
 */
export async function readConfig(shell: Shell, path: string): Promise<EmulatorConfig> {
  const text = (await readInput(shell, path, { option: '--config', maxMiB: 16 })).toString('utf8')
  const config = parseJson(text.replace(/^\uFEFF/, ''))
  const fail = (problem: string) => new CommandFailure(`--config: ${path}${problem}`)
  if (config === undefined) throw fail(' is not JSON.')
  if (!isJsonObject(config)) throw fail(': the file must be an object')
  const { faults = [], webhookFaults = [], checks = [], ...options } = config
  const lists = { faults, webhookFaults, checks }
  for (const name of Object.keys(options)) {
    const meant = misspelledName(name, additions)
    if (meant !== undefined) throw fail(`: ${name} is not an option. Did you mean ${meant}?`)
  }
  for (const name of additions)
    if (!(Array.isArray(lists[name]) && lists[name].every(isJsonObject)))
      throw fail(`: ${name} must be an array of objects`)
  return { options, ...(lists as Additions) }
}

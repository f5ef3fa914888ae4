import nodeModule from 'node:module'
import { isJsonObject } from '../../contract/schema/schema.ts'
import { nearestName } from '../../options/nearest-name.ts'
import { parseJson } from '../../runtime/bytes.ts'
import { CommandFailure } from '../failure.ts'
import { readInput } from '../files/read-input.ts'
import type { Shell } from '../shell.ts'
import type { EmulatorConfig } from './config.ts'

const packageFile = nodeModule.createRequire(import.meta.url)

/**
 * The options that are lists of things to add at the start. The emulator checks each of them, and all other options.
 */
const lists = ['faults', 'webhookFaults', 'checks']

/**
 * Reads the file of `--config`.
 *
 * @throws {CommandFailure} the file cannot be read, is not JSON, or has an option that does not exist
 */
export async function readConfig(shell: Shell, path: string): Promise<EmulatorConfig> {
  const text = (await readInput(shell, path, { option: '--config', maxMiB: 16 })).toString('utf8')
  const config = parseJson(text.replace(/^\uFEFF/, ''))
  const fail = (problem: string) => new CommandFailure(`--config: ${path}${problem}`)
  if (config === undefined) throw fail(' is not JSON.')
  if (!isJsonObject(config)) throw fail(': the file must be an object')
  // The file that editors read, so that they and this program accept the same.
  const names = Object.keys(packageFile('identity-service-sdk/emulator.schema.json').properties)
  for (const [name, value] of Object.entries(config)) {
    const nearest = nearestName(name, names)
    const advice = nearest === undefined ? `The options are ${names.join(', ')}.` : `Did you mean ${nearest}?`
    if (!names.includes(name)) throw fail(`: ${name} is not an option. ${advice}`)
    if (lists.includes(name) && !(Array.isArray(value) && value.every(isJsonObject)))
      throw fail(`: ${name} must be an array of objects`)
    if (name === 'webhooks' && !isJsonObject(value)) throw fail(`: ${name} must be an object`)
  }
  return config
}

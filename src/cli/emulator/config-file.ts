import nodeModule from 'node:module'
import type { EmulatorOptions } from 'identity-service-sdk/emulator'
import { parseJson } from '../../runtime/bytes.ts'
import { CommandFailure } from '../failure.ts'
import { readInput } from '../files/read-input.ts'
import type { Shell } from '../shell.ts'
import type { EmulatorConfig } from './config.ts'
import { type JsonSchema, schemaProblem } from './json-schema.ts'

const packageFile = nodeModule.createRequire(import.meta.url)

/**
 * Reads the file of `--config`.
 *
 * @throws {CommandFailure} the file cannot be read, is not JSON, or has an option that does not exist
 */
export async function readConfig(shell: Shell, path: string): Promise<EmulatorConfig> {
  const text = (await readInput(shell, path, '--config')).toString('utf8')
  const config = parseJson(text.replace(/^\uFEFF/, ''))
  if (config === undefined) throw new CommandFailure(`--config: ${path} is not JSON.`)
  // The file that editors read, so that they and this program accept the same.
  const schema: JsonSchema = packageFile('identity-service-sdk/emulator.schema.json')
  const problem = schemaProblem(schema, config)
  if (problem === undefined) return config as EmulatorConfig
  throw new CommandFailure(`--config: ${path}: ${problem.path || 'the file'} ${problem.message}`)
}

/** Returns the options of `createEmulator` that a configuration contains. JSON has no dates. */
export function optionsOf({
  $schema: _,
  faults,
  webhookFaults,
  checks,
  ...options
}: EmulatorConfig): EmulatorOptions {
  const { org } = options
  const { trialEndsAt, currentPeriodEnd } = org?.billing ?? {}
  const dates = {
    ...(trialEndsAt && { trialEndsAt: new Date(trialEndsAt) }),
    ...(currentPeriodEnd && { currentPeriodEnd: new Date(currentPeriodEnd) }),
  }
  return { ...options, ...(org && { org: { ...org, billing: { ...org.billing, ...dates } } }) }
}

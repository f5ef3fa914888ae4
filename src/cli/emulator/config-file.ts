import type { EmulatorOptions } from 'identity-service-sdk/emulator'
import { parseJson } from '../../runtime/bytes.ts'
import { CommandFailure } from '../failure.ts'
import { readInput } from '../files/read-input.ts'
import type { Shell } from '../shell.ts'
import type { EmulatorConfig } from './config.ts'
import { schemaProblem } from './json-schema.ts'

/**
 * Reads the file of `--config`.
 *
 * @throws {CommandFailure} the file cannot be read, is not JSON, or has an option that does not exist
 */
export async function readConfig(shell: Shell, path: string): Promise<EmulatorConfig> {
  const text = (await readInput(shell, path, '--config')).toString('utf8')
  const config = parseJson(text.replace(/^\uFEFF/, ''))
  if (config === undefined) throw new CommandFailure(`--config: ${path} is not JSON.`)
  // Loaded here, because other commands do not need it.
  const { default: schema } = await import('../../../emulator.schema.json', { with: { type: 'json' } })
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

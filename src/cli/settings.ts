import { parseEnv } from 'node:util'
import { CommandFailure } from './failure.ts'
import { readAll } from './input.ts'
import { type SettingName, secretSettings, settingNames } from './setting-names.ts'
import type { Shell } from './shell.ts'

/** The settings that are there; blank ones are not. */
export type Settings = { readonly [Name in SettingName]?: string }

/** Options that every command which has settings takes. */
export interface SettingsOptions {
  readonly envFrom?: string
}

/** Reads the environment, and over it the file of `--env-from`. */
export async function readSettings(shell: Shell, { envFrom }: SettingsOptions): Promise<Settings> {
  const { env } = shell.around
  const file = envFrom === undefined ? {} : parseEnv((await readAll(shell, envFrom)).toString('utf8'))
  const settings: { [Name in SettingName]?: string } = {}
  for (const name of settingNames) {
    const value = file[name] ?? env[name]
    if (value?.trim()) settings[name] = value
  }
  for (const name of secretSettings) shell.hide(settings[name])
  return settings
}

/** A setting that the command cannot do without. */
export function need(settings: Settings, name: SettingName): string {
  const value = settings[name]
  if (value !== undefined) return value
  throw new CommandFailure(`${name} is not set: set it in the environment, or in a file for --env-from`)
}

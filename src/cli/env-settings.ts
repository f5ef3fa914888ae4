import { parseEnv } from 'node:util'
import { CommandFailure } from './failure.ts'
import { readInput } from './files/read-input.ts'
import { programName } from './program-name.ts'
import type { Shell } from './shell.ts'

/** Settings that are never printed. */
export const secretSettings = ['SVC_API_KEY', 'SVC_CLIENT_SECRET', 'SVC_WEBHOOK_SECRET', 'SVC_COOKIE_SECRET'] as const

/** Settings that are printed. */
export const publicSettings = ['SVC_BASE_URL', 'SVC_ORG_BASE_URL', 'SVC_CLIENT_ID'] as const

/** Settings that decide how much of an error is shown. */
const modeSettings = ['SVC_ERROR_DETAIL', 'NODE_ENV'] as const

const settingNames = [...publicSettings, ...secretSettings, ...modeSettings] as const

type SettingName = (typeof settingNames)[number]

/** The settings that have a value. Blank ones are left out. */
export type Settings = { readonly [Name in SettingName]?: string }

/** Options of every command that reads settings. */
export interface SettingsOptions {
  readonly envFrom?: string
}

/** Reads the settings from the environment and from the `--env-from` file, which takes precedence. */
export async function readSettings(shell: Shell, { envFrom }: SettingsOptions): Promise<Settings> {
  const { env } = shell.context
  const file =
    envFrom === undefined
      ? {}
      : parseEnv((await readInput(shell, envFrom, { option: '--env-from', maxMiB: 1 })).toString('utf8'))
  const settings: { [Name in SettingName]?: string } = {}
  for (const name of settingNames) {
    const value = file[name] ?? env[name]
    if (value?.trim()) settings[name] = value
  }
  return settings
}

/** Returns how much errors show, because clients read the environment, and not the file. */
export const errorDetailOf = ({ SVC_ERROR_DETAIL }: Settings): 'full' | undefined =>
  SVC_ERROR_DETAIL === 'full' ? 'full' : undefined

/**
 * Returns the value of a setting.
 *
 * @throws {CommandFailure} the setting has no value
 */
export function requireSetting(settings: Settings, name: SettingName): string {
  const value = settings[name]
  if (value !== undefined) return value
  throw new CommandFailure(
    `${name} is not set. Set it in the environment, or in a file that you pass with --env-from. ` +
      `To try the command out, use the settings that this prints: ${programName} emulator`,
  )
}

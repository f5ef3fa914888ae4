import { CommandFailure } from '../failure.ts'

/** Settings by name, such as `SVC_API_KEY`. */
export type Environment = Readonly<Record<string, string>>

const isPlain = (value: string) => /^[\w@%+=:,./-]+$/.test(value)

/**
 * Returns a value as a `.env` file holds it. Such files have no escapes that all programs read alike.
 *
 * @param quotes tried in this order
 * @throws {CommandFailure} the value contains a line break, or all kinds of quotes
 */
export function quoteForEnvFile(name: string, value: string, quotes: readonly string[]): string {
  const quote = quotes.find((one) => (one === '' ? isPlain(value) : !value.includes(one)))
  if (quote === undefined || /[\r\n]/.test(value))
    throw new CommandFailure(
      `The value of ${name} cannot be written to a .env file. Change it in the file of --config.`,
    )
  return quote + value + quote
}

/** How the settings are printed, by the value of `--format`. */
export const settingsFormats = {
  shell: (name, value) => `export ${name}=${isPlain(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`,
  powershell: (name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
  dotenv: (name, value) => `${name}=${quoteForEnvFile(name, value, ['', "'", '"', '`'])}`,
} as const satisfies Readonly<Record<string, (name: string, value: string) => string>>

export type SettingsFormat = keyof typeof settingsFormats

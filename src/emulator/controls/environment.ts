import { isLoopback } from '../../runtime/secure-url.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string>>

/** Returns the environment variables with which an app connects to the emulator. @param url address of the emulator */
export const environmentOf = ({
  url,
  ...credentials
}: {
  readonly url: string
  readonly apiKey: string
  readonly clientId: string
  readonly clientSecret: string
  readonly webhookSecret: string
}): Environment => ({
  SVC_BASE_URL: url,
  SVC_ORG_BASE_URL: url,
  ...hostSetting(new URL(url)),
  SVC_API_KEY: credentials.apiKey,
  SVC_CLIENT_ID: credentials.clientId,
  SVC_CLIENT_SECRET: credentials.clientSecret,
  SVC_WEBHOOK_SECRET: credentials.webhookSecret,
  // Nothing of a real person is in its responses, so errors may show them.
  SVC_ERROR_DETAIL: 'full',
})

/** Without it, a client rejects the address of an emulator in another container. */
const hostSetting = ({ protocol, hostname }: URL): Environment =>
  protocol === 'http:' && !isLoopback(hostname) ? { SVC_EMULATOR_HOST: hostname } : {}

const isPlain = (value: string) => /^[\w@%+=:,./-]+$/.test(value)

/**
 * Returns a value as a `.env` file holds it. Such files have no escapes that all programs read alike, so a value with a
 * line break, a NUL or all kinds of quotes cannot be written: `undefined`.
 *
 * @param quotes tried in this order
 */
export function quotedForEnvFile(value: string, quotes = ['', "'", '"', '`']): string | undefined {
  const quote = quotes.find((one) => (one === '' ? isPlain(value) : !value.includes(one)))
  return quote === undefined || /[\0\r\n]/.test(value) ? undefined : quote + value + quote
}

function envFileLine(name: string, value: string): string {
  const quoted = quotedForEnvFile(value)
  return quoted === undefined ? `# ${name} cannot be written to a .env file` : `${name}=${quoted}`
}

/** The line that sets a variable, for each kind of terminal and for a `.env` file. */
export const environmentFormats = {
  shell: (name: string, value: string) =>
    `export ${name}=${isPlain(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`,
  powershell: (name: string, value: string) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
  dotenv: envFileLine,
} as const

import type { EmulatorSettings } from '../options/options.ts'

/** Returns the environment variables with which an app connects to the emulator. @param url address of the emulator */
export const environmentOf = (
  { apiKey, organization, webhooks }: Pick<EmulatorSettings, 'apiKey' | 'organization' | 'webhooks'>,
  url: string,
): Readonly<Record<string, string>> => ({
  SVC_BASE_URL: url,
  SVC_ORG_BASE_URL: url,
  SVC_API_KEY: apiKey,
  SVC_CLIENT_ID: organization.clientId,
  SVC_CLIENT_SECRET: organization.clientSecret,
  SVC_WEBHOOK_SECRET: webhooks.secret,
  // Nothing of a real person is in its responses, so errors may show them.
  SVC_ERROR_DETAIL: 'full',
})

const single = (value: string, escaped: string) => `'${value.replaceAll("'", escaped)}'`

/** How each kind of terminal, and a `.env` file, sets a variable. */
export const environmentFormats = {
  shell: (name: string, value: string) => `export ${name}=${single(value, "'\\''")}`,
  PowerShell: (name: string, value: string) => `$env:${name} = ${single(value, "''")}`,
  '.env': (name: string, value: string) => `${name}=${JSON.stringify(value)}`,
} as const

import { isSdkError } from 'identity-service-sdk'
import { keyCommand } from '../../oidc/key-command.ts'
import { isCookieSecret, minCookieSecretLength } from '../../oidc/sign-in/sign-in-cookies.ts'
import { aSecret } from '../../options/rules.ts'
import { parseBaseUrl } from '../../options/settings.ts'
import { emulatorWebhookSecret } from '../../runtime/environment.ts'
import { isEmulatorHost } from '../../runtime/secure-url.ts'
import type { Settings } from '../env-settings.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** A shorter secret is likely to be incomplete, and can be guessed. In characters. */
const minSecretLength = 16

/** Checks the settings without sending a request. */
export function* checkConfiguration(settings: Settings): Generator<Finding> {
  yield ok('node', process.version)
  yield* checkBaseUrls(settings)
  yield* checkCredentials(settings)
  yield checkErrorDetail(settings)
}

/** In production, messages of the service and of drivers must not reach a log: they may be personal. */
function checkErrorDetail(settings: Settings): Finding {
  const { SVC_ERROR_DETAIL: detail = 'not set', NODE_ENV: mode } = settings
  const check = 'SVC_ERROR_DETAIL'
  if (detail === 'full' && mode === 'production')
    return fail(check, 'full, with NODE_ENV=production', 'remove it: logs would show what others wrote')
  const isDevelopment = mode === 'development' || mode === 'test' || usesEmulatorHosts(settings)
  if (detail === 'full' && !isDevelopment)
    return warn(
      check,
      'full, and neither NODE_ENV nor a base URL says that this is development',
      'remove it in production: logs would show what others wrote',
    )
  if (detail === 'full') return ok(check, 'full')
  return ok(check, detail === 'safe' ? detail : 'not set')
}

/** Returns whether all base URLs lead to a host where emulators run. */
function usesEmulatorHosts({ SVC_BASE_URL, SVC_ORG_BASE_URL }: Settings): boolean {
  const urls = [SVC_BASE_URL, SVC_ORG_BASE_URL].map(validBaseUrl).filter((url) => url !== undefined)
  return urls.length > 0 && urls.every((url) => isEmulatorHost(new URL(url).hostname))
}

function* checkBaseUrls(settings: Settings): Generator<Finding> {
  const names = ['SVC_BASE_URL', 'SVC_ORG_BASE_URL'] as const
  if (names.every((name) => settings[name] === undefined)) {
    yield fail(
      'settings',
      'neither SVC_BASE_URL nor SVC_ORG_BASE_URL is set',
      'set SVC_BASE_URL for verification and sign-in, SVC_ORG_BASE_URL for the roster',
    )
    return
  }
  for (const name of names) {
    const value = settings[name]
    if (value === undefined) {
      const part = name === 'SVC_BASE_URL' ? 'verification and sign-in are' : 'the roster is'
      yield warn(name, `not set: ${part} not checked`, `set ${name} if you use it`)
      continue
    }
    try {
      const { origin, prefix } = parseBaseUrl(name, value)
      yield ok(name, `${origin}${prefix}`)
    } catch (error) {
      if (!isSdkError(error)) throw error
      yield fail(name, error.message, `set ${name} to a URL such as https://api.example.com`)
    }
  }
}

function* checkCredentials(settings: Settings): Generator<Finding> {
  const { SVC_API_KEY: key, SVC_CLIENT_ID: id, SVC_CLIENT_SECRET: secret } = settings
  if (key === undefined)
    yield warn('SVC_API_KEY', 'not set', 'set it if you use verification: copy it from the developer console')
  else yield found('SVC_API_KEY', key)
  const pair = 'SVC_CLIENT_ID, SVC_CLIENT_SECRET'
  if (id === undefined && secret === undefined) yield warn(pair, 'not set', 'set both if you use sign-in or the roster')
  else if (id === undefined || secret === undefined)
    yield fail(pair, `${id === undefined ? 'SVC_CLIENT_ID' : 'SVC_CLIENT_SECRET'} is not set`, 'set both or neither')
  else yield found(pair, id, secret)
  const { SVC_WEBHOOK_SECRET: webhook, NODE_ENV: mode } = settings
  if (webhook === undefined)
    yield warn('SVC_WEBHOOK_SECRET', 'not set', 'set it if you receive webhooks: never accept unsigned ones')
  else if (aSecret.allows(webhook) && webhook.length < minSecretLength)
    yield warn('SVC_WEBHOOK_SECRET', `shorter than ${minSecretLength} characters`, 'check that the secret is complete')
  else if (webhook === emulatorWebhookSecret && mode === 'production')
    yield fail(
      'SVC_WEBHOOK_SECRET',
      'that of the emulator, which everybody knows, with NODE_ENV=production',
      'set that of your application: handlers reject every delivery, unless an emulator is meant',
    )
  else yield found('SVC_WEBHOOK_SECRET', webhook)
  const { SVC_COOKIE_SECRET: cookie } = settings
  if (cookie === undefined)
    yield warn(
      'SVC_COOKIE_SECRET',
      'not set',
      `set it if your app signs people in: it is your own secret, for example the output of: ${keyCommand}`,
    )
  else if (!isCookieSecret(cookie))
    yield fail(
      'SVC_COOKIE_SECRET',
      `shorter than ${minCookieSecretLength} characters, so sign-in handlers reject it`,
      `generate a longer one, for example with: ${keyCommand}`,
    )
  else yield found('SVC_COOKIE_SECRET', cookie)
}

/** Clients and handlers reject what a file or a shell adds to a value, but quotation marks may be a part of it. */
function found(check: string, ...values: readonly string[]): Finding {
  if (!values.every(aSecret.allows)) return fail(check, `must ${aSecret.form}`, 'set it again, to the value alone')
  if (!values.some(isQuoted)) return ok(check, 'set')
  const advice = 'remove them, unless they belong to the value: docker run --env-file keeps them'
  return warn(check, 'starts and ends with a quotation mark', advice)
}

const isQuoted = (value: string) => /^(["'`]).*\1$/.test(value)

/** Returns the base URL if it is valid. {@link checkConfiguration} reports an invalid one. */
export function validBaseUrl(value: string | undefined): string | undefined {
  try {
    if (value === undefined) return undefined
    const { origin, prefix } = parseBaseUrl('', value)
    return origin + prefix
  } catch {
    return undefined
  }
}

import { isSdkError } from '../../errors.ts'
import { parseBaseUrl } from '../../http/params/base-url.ts'
import type { Settings } from '../settings.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** A shorter secret can be guessed. In characters. */
const shortestSecret = 16

/** What can be said of the settings without asking anybody. */
export function* checkConfiguration(settings: Settings): Generator<Finding> {
  yield ok('node', process.version)
  yield* checkAddresses(settings)
  yield* checkCredentials(settings)
}

function* checkAddresses(settings: Settings): Generator<Finding> {
  const addresses = ['SVC_BASE_URL', 'SVC_ORG_BASE_URL'] as const
  if (addresses.every((name) => settings[name] === undefined)) {
    yield fail('settings', 'no address is set', 'set SVC_BASE_URL, and for the roster SVC_ORG_BASE_URL')
    return
  }
  for (const name of addresses) {
    const value = settings[name]
    if (value === undefined) {
      const part = name === 'SVC_BASE_URL' ? 'verification and sign-in are' : 'the roster is'
      yield warn(name, `not set: ${part} not checked`, `set ${name} if you use it`)
      continue
    }
    try {
      const { origin, prefix } = parseBaseUrl(value, name)
      if (origin.startsWith('https:')) yield ok(name, `${origin}${prefix}`)
      else yield warn(name, `${origin}${prefix} is on this machine`, 'use the https address in production')
    } catch (error) {
      if (!isSdkError(error)) throw error
      yield fail(name, error.message.replace('baseUrl', 'it'), `set ${name} to an address such as https://…`)
    }
  }
}

function* checkCredentials(settings: Settings): Generator<Finding> {
  const { SVC_API_KEY: key, SVC_CLIENT_ID: id, SVC_CLIENT_SECRET: secret } = settings
  if (key === undefined)
    yield warn('SVC_API_KEY', 'not set', 'set it if you verify people; the developer console has it')
  else yield ok('SVC_API_KEY', 'set')
  const pair = 'SVC_CLIENT_ID, SVC_CLIENT_SECRET'
  if (id === undefined && secret === undefined)
    yield warn(pair, 'not set', 'set both if you sign people in or keep the roster')
  else if (id === undefined || secret === undefined)
    yield fail(pair, 'one of them is not set', 'set both, or none')
  else yield ok(pair, 'set')
  const { SVC_WEBHOOK_SECRET: webhook } = settings
  if (webhook === undefined)
    yield warn('SVC_WEBHOOK_SECRET', 'not set', 'set it if you receive webhooks; never accept them unsigned')
  else if (webhook.length < shortestSecret)
    yield warn('SVC_WEBHOOK_SECRET', `shorter than ${shortestSecret} characters`, 'check that it is complete')
  else yield ok('SVC_WEBHOOK_SECRET', 'set')
}

/** The addresses that can be used; what is wrong with others is told by the check above. */
export function usable(address: string | undefined): string | undefined {
  try {
    if (address === undefined) return undefined
    const { origin, prefix } = parseBaseUrl(address, '')
    return origin + prefix
  } catch {
    return undefined
  }
}

import type { ErrorCode } from '../../contract/errors/codes.ts'
import { callbackParameters } from '../../contract/sign-in/oidc.ts'
import { Rejection } from '../../errors/sdk-error.ts'
import { CallbackError, type CallbackReason } from '../../errors/sign-in-errors.ts'
import { configurationAdvice, isConfigurationCode } from '../../http/exchange/response-errors.ts'
import { equalTexts } from '../../runtime/crypto.ts'
import { isLoopback } from '../../runtime/secure-url.ts'

/** A callback as a framework passes it. A URL may be relative, because only its query is read. */
export type CallbackInput = string | URL | URLSearchParams | Request

/** What a check of a callback throws. */
const callbackRejection = (
  reason: CallbackReason,
  message: string,
  facts?: Partial<Pick<CallbackError, 'error' | 'hint'>>,
) => new Rejection((operation) => new CallbackError({ reason, message: `${operation}: ${message}`, ...facts }))

/** The parameters of a callback that is complete. They are not compared with the sign-in yet. */
export interface CallbackQuery {
  readonly code: string
  readonly state: string | null
  readonly issuer: string | null
}

/**
 * Reads the parameters of a callback.
 *
 * @param sent the parameters of the authorization request, if they are known
 * @throws {Rejection} `repeated_parameter`, `authorization_error` or `missing_code`, in this order
 */
export function readCallback(callback: CallbackInput, sent?: Readonly<Record<string, string>>): CallbackQuery {
  const query = queryOf(callback)
  for (const name of Object.values(callbackParameters)) {
    if (query.getAll(name).length > 1)
      throw callbackRejection('repeated_parameter', `the callback has ${name} more than once`)
  }
  const error = query.get(callbackParameters.error)
  if (error !== null) {
    // Anyone can send a browser here with any text, so only a plain code is quoted.
    const code = /^[\w.-]{1,64}$/.test(error) ? error : 'unreadable'
    if (!isConfigurationCode(code))
      throw callbackRejection(
        'authorization_error',
        `the sign-in was not granted (${code}). Let the person sign in again.`,
        {
          error: code,
        },
      )
    const pairs = Object.entries(sent ?? {}).map((pair) => pair.join(' '))
    const hint = `${pairs.length === 0 ? '' : `Sent: ${pairs.join(', ')}. `}${configurationAdvice[code as ErrorCode]}`
    const message = `the service rejected the configuration of the app (${code}). ${hint} To sign in again does not help.`
    throw callbackRejection('authorization_error', message, { error: code, hint })
  }
  const code = query.get(callbackParameters.code)
  if (!code)
    throw callbackRejection(
      'missing_code',
      'the callback has no code: check that it is the whole URL of the request, with its query',
    )
  const { state, issuer } = callbackParameters
  return { code, state: query.get(state), issuer: query.get(issuer) }
}

/**
 * Compares a callback with the sign-in that was started.
 *
 * @returns its code
 * @throws {Rejection} `state_mismatch` or `issuer_mismatch`, in this order
 */
export function checkCallback(
  { code, state, issuer }: CallbackQuery,
  expected: {
    readonly state: unknown
    readonly issuers: readonly string[]
    readonly redirectUri: string | undefined
  },
): string {
  if (!isSame(state ?? '', expected.state)) {
    const isLost = typeof expected.state !== 'string' || expected.state === ''
    throw stateMismatch(isLost ? lostHint(expected.redirectUri) : differentHint)
  }
  if (issuer !== null && !expected.issuers.includes(issuer)) {
    const message =
      'the callback is from another issuer: check the option issuer (the default of an OidcClient is its baseUrl)'
    throw callbackRejection('issuer_mismatch', message)
  }
  return code
}

/** @param hint the likely cause. It is also a property, because a page may show it without the name of a function */
export const stateMismatch = (hint: string) =>
  callbackRejection('state_mismatch', `state mismatch. ${hint} Let the person sign in again.`, { hint })

const differentHint = 'The callback belongs to another sign-in of this browser, or is forged.'

/**
 * Describes why the browser of a callback has lost its sign-in.
 *
 * @param redirectUri where the callback was received, if it is known
 */
export function lostHint(redirectUri: string | undefined): string {
  const likely =
    'The browser has sent no cookie of this sign-in: it was finished before, five others were started after it, or it was started in another browser or at another host.'
  const origin = loopbackOrigin(redirectUri)
  if (origin === undefined) return likely
  return `${likely} localhost and 127.0.0.1 are different hosts for cookies: open the app at ${origin}, the host of redirectUri.`
}

/** Returns the origin of a redirect URI that leads to this machine. */
export function loopbackOrigin(redirectUri: string | undefined): string | undefined {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return undefined
  const { hostname, origin } = new URL(redirectUri)
  return isLoopback(hostname) ? origin : undefined
}

function queryOf(callback: CallbackInput): URLSearchParams {
  if (callback instanceof URLSearchParams) return callback
  const url = typeof callback === 'object' && 'url' in callback ? callback.url : String(callback)
  const [beforeFragment = ''] = url.split('#')
  const start = beforeFragment.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : beforeFragment.slice(start + 1))
}

// A sign-in that was lost has no state, or an empty one. It must not equal a callback without a state.
const isSame = (value: string, expected: unknown) =>
  typeof expected === 'string' && expected !== '' && equalTexts(value, expected)

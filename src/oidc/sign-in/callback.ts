import { callbackParameters } from '../../contract/sign-in/oidc.ts'
import { CallbackError } from '../../errors/sign-in-errors.ts'
import { equalTexts } from '../../runtime/bytes.ts'
import { isLoopback } from '../../runtime/loopback.ts'

/** A callback as a framework passes it. Of a URL only the query is read, so a relative URL is accepted. */
export type CallbackInput = string | URL | URLSearchParams | Request

/** The parameters of a callback that is complete. They are not compared with the sign-in yet. */
export interface CallbackQuery {
  readonly code: string
  readonly state: string | null
  readonly issuer: string | null
}

/**
 * Reads the parameters of a callback.
 *
 * @throws {CallbackError} `repeated_parameter`, `authorization_error` or `missing_code`, in this order
 */
export function readCallback(callback: CallbackInput): CallbackQuery {
  const query = queryOf(callback)
  for (const name of Object.values(callbackParameters)) {
    if (query.getAll(name).length > 1) {
      throw new CallbackError({
        reason: 'repeated_parameter',
        message: `the callback has ${name} more than once`,
      })
    }
  }
  const error = query.get(callbackParameters.error)
  if (error !== null) {
    // Anyone can send a browser here with any text, so only a plain code is quoted.
    const code = /^[\w.-]{1,64}$/.test(error) ? error : 'unreadable'
    throw new CallbackError({
      reason: 'authorization_error',
      message: `the sign-in was not granted: ${code}`,
      error: code,
    })
  }
  const code = query.get(callbackParameters.code)
  if (!code) throw new CallbackError({ reason: 'missing_code', message: 'the callback has no code' })
  const { state, issuer } = callbackParameters
  return { code, state: query.get(state), issuer: query.get(issuer) }
}

/**
 * Compares a callback with the sign-in that was started.
 *
 * @throws {CallbackError} `state_mismatch` or `issuer_mismatch`, in this order
 */
export function checkCallback(
  { state, issuer }: CallbackQuery,
  expected: {
    readonly state: unknown
    readonly issuers: readonly string[]
    readonly redirectUri: string | undefined
  },
): void {
  if (!isSame(state ?? '', expected.state)) {
    const isLost = typeof expected.state !== 'string' || expected.state === ''
    throw stateMismatch(isLost ? lostHint(expected.redirectUri) : differentHint)
  }
  if (issuer !== null && !expected.issuers.includes(issuer)) {
    throw new CallbackError({ reason: 'issuer_mismatch', message: 'the callback is from another issuer' })
  }
}

// The message is that of the contract, so the likely cause is a separate property.
export const stateMismatch = (hint: string) =>
  new CallbackError({ reason: 'state_mismatch', message: 'state mismatch', hint })

const differentHint = 'The callback belongs to another sign-in of this browser, or is forged.'

/**
 * Describes why the browser of a callback has lost its sign-in.
 *
 * @param redirectUri where the callback was received, if it is known
 */
export function lostHint(redirectUri: string | undefined): string {
  const likely =
    'The browser has sent no cookie of this sign-in: it was finished before, or it was started in another browser or at another host.'
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
const isSame = (given: string, expected: unknown) =>
  typeof expected === 'string' && expected !== '' && equalTexts(given, expected)

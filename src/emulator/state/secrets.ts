import { parseJson } from '../../runtime/bytes.ts'
import type { RecordedRequest } from './request-log.ts'

/** Fields of responses that are secrets. */
const responseSecrets: ReadonlySet<string> = new Set([
  ...['access_token', 'id_token', 'refresh_token', 'session_token', 'svc_access_token', 'token'],
])

/** Fields of requests that are secrets. In a response, `code` is the code of an error. */
const requestSecrets: ReadonlySet<string> = new Set([
  ...responseSecrets,
  ...['client_secret', 'code', 'code_verifier', 'password'],
])

/**
 * Masks the secrets of a request and of its response. Bodies are read for that. A body that is neither a form nor JSON is
 * left out, because a secret could be anywhere in it.
 */
export function withoutSecrets({
  body,
  responseBody,
  responseHeaders,
  ...request
}: RecordedRequest): RecordedRequest {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const shownBody = isForm ? body && maskedForm(body) : maskedJson(body, requestSecrets)
  const shownResponse = maskedJson(responseBody, responseSecrets)
  return {
    ...request,
    path: maskedAddress(request.path),
    ...(shownBody !== undefined && { body: shownBody }),
    ...(responseHeaders && { responseHeaders: maskedHeaders(responseHeaders) }),
    ...(shownResponse !== undefined && { responseBody: shownResponse }),
  }
}

function maskedJson(text: string | undefined, secrets: ReadonlySet<string>): string | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  return value === undefined
    ? undefined
    : JSON.stringify(value, (name, part) => (secrets.has(name) ? '[masked]' : part))
}

const maskedForm = (text: string) =>
  new URLSearchParams(
    [...new URLSearchParams(text)].map(([name, value]): [string, string] => [
      name,
      requestSecrets.has(name) ? '[masked]' : value,
    ]),
  ).toString()

/** A query of a callback contains a code. */
function maskedAddress(address: string): string {
  const start = address.indexOf('?')
  return start < 0 ? address : `${address.slice(0, start)}?${maskedForm(address.slice(start + 1))}`
}

const maskedHeaders = ({ location, ...headers }: Readonly<Record<string, string>>) =>
  location === undefined ? headers : { ...headers, location: maskedAddress(location) }

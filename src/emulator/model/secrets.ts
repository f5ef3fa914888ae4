import { parseJson } from '../../runtime/bytes.ts'
import { activationPath } from './addresses.ts'
import type { RecordedRequest } from './request-log.ts'

/** Fields of responses that are secrets. */
const responseSecrets: ReadonlySet<string> = new Set([
  ...['access_token', 'id_token', 'refresh_token', 'session_token', 'svc_access_token', 'token'],
])

/** Fields of requests that are secrets. In a response, `code` is the code of an error. */
const requestSecrets: ReadonlySet<string> = new Set([
  ...responseSecrets,
  ...['client_secret', 'code', 'code_verifier', 'password', 'secret'],
])

const masked = '[masked]'

/**
 * Masks the secrets of a request and of its response. Bodies are read for that. A body that is neither JSON nor a form is
 * left out, because a secret could be anywhere in it.
 */
export function withoutSecrets({
  body,
  responseBody,
  responseHeaders,
  ...request
}: RecordedRequest): RecordedRequest {
  const shownBody = maskedBody(body)
  const shownResponse = maskedJson(responseBody, responseSecrets)
  return {
    ...request,
    path: maskedAddress(request.path),
    headers: maskedHeaders(request.headers),
    ...(shownBody !== undefined && { body: shownBody }),
    ...(responseHeaders && { responseHeaders: maskedHeaders(responseHeaders) }),
    ...(shownResponse !== undefined && { responseBody: shownResponse }),
  }
}

/** Many programs send JSON with the content type of a form, so the text decides. */
function maskedBody(text: string | undefined): string | undefined {
  const json = maskedJson(text, requestSecrets)
  if (json !== undefined || text === undefined) return json
  const isForm = [...new URLSearchParams(text)].every(([name]) => /^[\w.[\]-]+$/.test(name))
  return isForm ? maskedForm(text) : undefined
}

function maskedJson(text: string | undefined, secrets: ReadonlySet<string>): string | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  return value === undefined
    ? undefined
    : JSON.stringify(value, (name, part) => (secrets.has(name.toLowerCase()) ? masked : part))
}

const maskedForm = (text: string) =>
  new URLSearchParams(
    [...new URLSearchParams(text)].map(([name, value]): [string, string] => [
      name,
      requestSecrets.has(name.toLowerCase()) ? masked : value,
    ]),
  ).toString()

const activation = activationPath.replace('{token}', '')

/** Masks the query of an address, because that of a callback contains a code, and the token of an activation link. */
function maskedAddress(address: string): string {
  const start = address.indexOf('?')
  const path = start < 0 ? address : address.slice(0, start)
  const shownPath = path.startsWith(activation) ? activation + masked : path
  return start < 0 ? shownPath : `${shownPath}?${maskedForm(address.slice(start + 1))}`
}

const addressHeaders = ['location', 'referer']

const maskedHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      addressHeaders.includes(name) ? maskedAddress(value) : value,
    ]),
  )

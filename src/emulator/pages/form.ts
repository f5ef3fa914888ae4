import { html } from 'hono/html'
import type { EmulatorRequest } from '../server/request.ts'
import { page } from './page.ts'

/** Far more than any form of these pages needs. */
const maxFormBytes = 64 * 1024

/**
 * Reads a form that a page of the emulator sends, and calls `act` with its fields.
 *
 * Responds with an error page and does not call `act` if another site sent the form (403), if the body is too large
 * (413) or if it is not URL-encoded (415).
 */
export async function handleForm(
  request: EmulatorRequest,
  act: (form: URLSearchParams) => Promise<Response>,
): Promise<Response> {
  const { headers, bytes } = request
  if (isCrossSite(request)) return rejectedPage(403, 'it was sent by another site')
  if (bytes.byteLength > maxFormBytes) return rejectedPage(413, `it is larger than ${maxFormBytes} bytes`)
  if (bytes.byteLength > 0 && !isUrlencoded(headers)) return rejectedPage(415, 'it is not URL-encoded')
  return act(new URLSearchParams(new TextDecoder().decode(bytes)))
}

const isUrlencoded = (headers: Headers) =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

/**
 * Returns whether the headers of a browser show that another site made the request. Without this check, any website
 * could post forms to an emulator on the developer's machine. Other HTTP clients send none of these headers and are
 * accepted, because no website controls them.
 */
function isCrossSite({ headers, url }: EmulatorRequest): boolean {
  const site = headers.get('sec-fetch-site')
  // `none` means that the person started the request, for example with a reload.
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('origin')
  if (origin === null || origin === url.origin) return false
  // Behind a proxy that ends TLS, the server has its own host name too. It has already checked `Host`.
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host')
}

const rejectedPage = (status: number, reason: string) =>
  page(
    status,
    { title: `Form rejected: ${reason}`, note: 'Nothing was changed.' },
    html`<h1>This form was rejected</h1><p>Reason: ${reason}. Open the page again and submit its form.</p>`,
  )

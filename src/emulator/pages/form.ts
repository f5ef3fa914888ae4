import { html } from 'hono/html'
import type { EmulatorRequest } from '../server/request.ts'
import { page } from './page.ts'
import { isFromElsewhere } from './same-origin.ts'

/** Far more than a form of these pages sends. */
const maxFormBytes = 64 * 1024

/**
 * Takes what a form of a page sends, and nothing else: what comes from another site is refused with a page (403), as
 * are large (413) and otherwise encoded (415) bodies. Nothing was done then.
 */
export async function handleForm(
  arrival: EmulatorRequest,
  act: (form: URLSearchParams) => Promise<Response>,
): Promise<Response> {
  const { headers, bytes } = arrival
  if (isFromElsewhere(arrival)) return refused(403, 'it was sent by another site')
  if (bytes.byteLength > maxFormBytes) return refused(413, `it is larger than ${maxFormBytes} bytes`)
  if (bytes.byteLength > 0 && !isUrlencoded(headers)) return refused(415, 'it is not encoded as a form')
  return act(new URLSearchParams(new TextDecoder().decode(bytes)))
}

const isUrlencoded = (headers: Headers) =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

const refused = (status: number, reason: string) =>
  page(
    status,
    { title: `Form refused: ${reason}`, note: 'Nothing was changed.' },
    html`<h1>This form was refused</h1><p>The reason: ${reason}.</p>`,
  )

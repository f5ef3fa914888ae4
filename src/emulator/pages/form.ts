import { type EmulatorRequest, isCrossSite } from '../model/request.ts'
import { page, sheetHead } from './page.ts'

/** Far more than any form of these pages needs. */
const maxFormBytes = 64 * 1024

/**
 * Returns the response to a form or another write that a page of another site sends (403), and `undefined` for any
 * other request. Checked before anything else, because every website could otherwise post forms to an emulator on the
 * developer's machine, and use up the faults that a test has set.
 *
 * @param baseUrl address of the service. Defaults to the origin of the request's URL
 */
export async function rejectForeignForm(request: Request, baseUrl = request.url): Promise<Response | undefined> {
  if (reads.has(request.method) || !isCrossSite(request, new URL(baseUrl).origin)) return undefined
  return rejectedPage(403, 'it was sent by another site')
}

/** Links and redirects from the app to the pages of the emulator are GETs. */
const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Reads a form that a page of the emulator sends, and calls `act` with its fields.
 *
 * Responds with an error page and does not call `act` if the body is too large (413) or if it is not URL-encoded (415).
 */
export async function handleForm(
  { headers, bytes }: EmulatorRequest,
  act: (form: URLSearchParams) => Promise<Response>,
): Promise<Response> {
  if (bytes.byteLength > maxFormBytes) return rejectedPage(413, `it is larger than ${maxFormBytes} bytes`)
  if (bytes.byteLength > 0 && !isUrlencoded(headers)) return rejectedPage(415, 'it is not URL-encoded')
  return act(new URLSearchParams(new TextDecoder().decode(bytes)))
}

const isUrlencoded = (headers: Headers) =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

const rejectedPage = (status: number, reason: string) =>
  page(
    status,
    { title: `Form rejected: ${reason}`, note: 'Nothing was changed.' },
    sheetHead('xCircle', 'This form was rejected', {
      about: `Reason: ${reason}. Open the page again and submit its form.`,
      tone: 'danger',
    }),
  )

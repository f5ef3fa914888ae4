import { encodeUtf8, joinBytes } from '../../runtime/bytes.ts'

/** A parameter of a header: `name=value` or `name="value"`, with escaped characters. */
const parameter = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g

const parametersOf = (header: string) =>
  new Map(
    [...header.matchAll(parameter)].map(([, name = '', quoted = '', token]) => [
      name.toLowerCase(),
      token ?? quoted.replace(/\\(["\\])/g, '$1'),
    ]),
  )

/** Reads headers. A line that starts with white space continues the one before. */
const headersOf = (text: string) =>
  new Map(
    text
      .replace(/\r\n[ \t]/g, ' ')
      .split('\r\n')
      .map((line) => {
        const end = line.indexOf(':')
        return [line.slice(0, end).toLowerCase(), line.slice(end + 1)]
      }),
  )

/** Quotes a name as browsers do. */
const quotedName = (name: string) => `"${name.replaceAll('"', '%22')}"`

/**
 * Rewrites a form in the only shape that every runtime parses, because the emulator is for any language. RFC 2046 and
 * RFC 2183 also allow text before the first part and after the last one, blanks after a boundary, parameters without
 * quotes, and `filename*` alone. Names of files are replaced, because the emulator ignores them.
 *
 * @param contentType the header, with the boundary
 * @returns the bytes as received if they have no boundary, so that the parser rejects them
 */
export function normalizeForm(bytes: Uint8Array, contentType: string): Uint8Array {
  const boundary = parametersOf(contentType).get('boundary')
  if (boundary === undefined) return bytes
  // One character a byte, so that places in the text are places in the bytes.
  const text = `\r\n${new TextDecoder('latin1').decode(bytes)}`
  const delimiter = `\r\n--${boundary}`
  const parts: Uint8Array[] = []
  let start = text.indexOf(delimiter)
  while (start >= 0) {
    const end = start + delimiter.length
    if (text.startsWith('--', end)) return joinBytes([...parts, encodeUtf8(`--${boundary}--\r\n`)])
    const headersStart = text.indexOf('\r\n', end)
    const next = text.indexOf(delimiter, end)
    const bodyStart = text.indexOf('\r\n\r\n', headersStart) + 4
    if (headersStart < 0 || bodyStart < 4 || next < bodyStart) return bytes
    const headers = new TextDecoder().decode(bytes.subarray(headersStart, bodyStart - 2))
    parts.push(encodeUtf8(`--${boundary}\r\n${normalizeHeaders(headers)}\r\n\r\n`), bytes.subarray(bodyStart - 2, next))
    start = next
  }
  return bytes
}

function normalizeHeaders(text: string): string {
  const headers = headersOf(text.trim())
  const disposition = parametersOf(headers.get('content-disposition') ?? '')
  const name = disposition.get('name')
  if (name === undefined) return text.trim()
  const isFile =
    disposition.has('filename') ||
    disposition.has('filename*') ||
    // RFC 7578 leaves the name of a file optional.
    /^\s*image\//i.test(headers.get('content-type') ?? '')
  const encoding = headers.get('content-transfer-encoding')
  return [
    `Content-Disposition: form-data; name=${quotedName(name)}${isFile ? '; filename="file"' : ''}`,
    ...(isFile ? ['Content-Type: application/octet-stream'] : []),
    ...(encoding === undefined ? [] : [`Content-Transfer-Encoding:${encoding}`]),
  ].join('\r\n')
}

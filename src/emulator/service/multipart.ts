import { encodeUtf8, joinBytes } from '../../runtime/bytes.ts'

/** A parameter of a header: `name=value` or `name="value"`, with escaped characters. */
const parameter = (name: string) => new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i')

function readParameter(header: string, name: string): string | undefined {
  const [, quoted, token] = parameter(name).exec(header) ?? []
  return token ?? quoted?.replace(/\\(["\\])/g, '$1')
}

/** A header of a part, with lines that continue it. */
const headerField = (name: string, headers: string) =>
  new RegExp(`^${name}:((?:[^\\r]|\\r\\n[ \\t])*)`, 'im').exec(headers)?.[1]

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
  const boundary = readParameter(contentType, 'boundary')
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

function normalizeHeaders(headers: string): string {
  const disposition = headerField('content-disposition', headers) ?? ''
  const name = readParameter(disposition, 'name')
  if (name === undefined) return headers.trim()
  const isFile = readParameter(disposition, 'filename') ?? readParameter(disposition, 'filename\\*')
  const encoding = headerField('content-transfer-encoding', headers)
  return [
    `Content-Disposition: form-data; name=${quotedName(name)}${isFile === undefined ? '' : '; filename="file"'}`,
    ...(isFile === undefined ? [] : ['Content-Type: application/octet-stream']),
    ...(encoding === undefined ? [] : [`Content-Transfer-Encoding:${encoding}`]),
  ].join('\r\n')
}

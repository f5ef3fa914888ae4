const archives = ['PK\u0003\u0004', 'Rar!', '7z\u00bc\u00af', '\u001f\u008b']
const html = /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html)/i
const json = /^(?:\xef\xbb\xbf)?\s*[{[]\s*["{[]/

/** Number of bytes that {@link formatOtherThanImage} reads. */
const readBytes = 64

/** Returns what bytes are that are no image of any format, from the first of them. */
export function formatOtherThanImage(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, readBytes))
  if (start.startsWith('%PDF-')) return 'a PDF'
  if (archives.some((archive) => start.startsWith(archive))) return 'an archive'
  if (html.test(start)) return 'a page of HTML'
  return json.test(start) ? 'JSON' : undefined
}

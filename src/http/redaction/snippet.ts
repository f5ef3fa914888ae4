import { isPlainObject } from '../body/json.ts'
import { mask, redactText } from './redact.ts'

const longestSnippet = 512

/** Longer texts than a snippet are written, because masking may shorten them. */
const longestOutline = 1024

/** The usual form of a member's name. Any other name may be a value. */
const fieldName = /^[a-z]\w{0,39}$/

/** The member whose names the caller chooses. */
const freeMember = 'metadata'

/** Returns what an error shows of a body that is JSON: names of members, `true`, `false` and `null`. */
export function snippetOf(parsed: unknown, secrets: readonly string[]): string {
  return redactText(outlineOf(parsed), secrets).slice(0, longestSnippet)
}

/** Returns what an error shows of any other body. */
export function describeBody(
  { byteLength }: Uint8Array,
  contentType: string | null,
  secrets: readonly string[],
): string {
  const [type = ''] = /^[\w.+-]{1,64}\/[\w.+-]{1,64}/.exec(contentType ?? '') ?? []
  const shown = type !== '' && redactText(type, secrets) === type ? type : 'no content type'
  return `not JSON: ${shown}, ${byteLength} bytes`
}

function outlineOf(parsed: unknown): string {
  let written = ''
  const isFull = () => written.length > longestOutline

  function write(value: unknown): void {
    if (Array.isArray(value)) writeAll('[', value, write, ']')
    else if (isPlainObject(value))
      writeAll('{', Object.keys(value), (name) => writeMember(name, value[name]), '}')
    else if (typeof value === 'string') written += `"${mask}"`
    else written += typeof value === 'number' ? mask : String(value)
  }

  function writeMember(name: string, value: unknown): void {
    written += `"${fieldName.test(name) ? name : mask}":`
    if (name === freeMember) written += `"${mask}"`
    else write(value)
  }

  function writeAll<T>(open: string, items: readonly T[], writeOne: (item: T) => void, close: string): void {
    written += open
    for (const [i, item] of items.entries()) {
      if (isFull()) return
      if (i > 0) written += ','
      writeOne(item)
    }
    written += close
  }

  write(parsed)
  return written
}

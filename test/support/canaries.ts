const toHtml = (text: string) => text.replace(/[&<>"'/]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inAscii = (text: string) =>
  inJson(text).replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
const inBytes = (encoding: BufferEncoding) => (text: string) => Buffer.from(text).toString(encoding)
const base32 = (text: string) => {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)])
    .join('')
}

/** The forms in which somebody may return a value. */
export const encodings: Readonly<Record<string, (text: string) => string>> = {
  unchanged: (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  decomposed: (text) => text.normalize('NFD'),
  'cut off': (text) => text.slice(0, -3),
  'in parts': (text) => text.split('').join(' '),
  reversed: (text) => [...text].reverse().join(''),
  'in JSON': inJson,
  'in ASCII JSON': inAscii,
  'in JSON in JSON': (text) => inJson(inJson(text)),
  'in a URL': encodeURIComponent,
  'in a URL in a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'in a page': toHtml,
  'in a page in JSON': (text) => inJson(toHtml(text)),
  'in base64': inBytes('base64'),
  'in base64url': inBytes('base64url'),
  'in the base64 of a longer text': (text) => inBytes('base64')(`id=${text};`),
  'in base32': base32,
  'in hexadecimal': inBytes('hex'),
  'in bytes of source code': (text) =>
    [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
}

/** Replaces each value by a canary of the same JSON type, and adds fields. */
export function withCanaries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withCanaries)
  if (typeof value === 'string') return 'Canary 4711'
  if (typeof value === 'number') return 47_110_815
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, part]) => [name, withCanaries(part)])
  return {
    ...Object.fromEntries(fields),
    unlisted: 'Canary 4711',
    'Canary 4711': { 'Canary 4711': 47_110_815 },
  }
}

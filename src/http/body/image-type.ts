const octetStream = 'application/octet-stream'

/** How many bytes of an image are needed to detect its type. */
export const sniffedBytes = 12

/** Filename extensions, by type. */
export const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/heic': '.heic',
}

const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])

/** Detects the type of an image from its first bytes. */
export function sniffType(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes.subarray(0, sniffedBytes))
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('RIFF') && text.slice(8) === 'WEBP') return 'image/webp'
  if (text.slice(4, 8) === 'ftyp' && heicBrands.has(text.slice(8))) return 'image/heic'
  return octetStream
}

const alphabet = /^[A-Za-z0-9_-]+$/

/** Whether text is base64url by the letter: no padding, no foreign characters, no impossible length. */
export const isBase64url = (text: string): boolean => alphabet.test(text) && text.length % 4 !== 1

export function fromBase64url(text: string): Uint8Array {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

export function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

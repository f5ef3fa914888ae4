const encoder = new TextEncoder()

/** The first bytes of the SHA-256 of a text, in base64url. */
export async function digest(text: string, bytes = 32): Promise<string> {
  const { base64url } = await import('jose')
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  return base64url.encode(hash.subarray(0, bytes))
}

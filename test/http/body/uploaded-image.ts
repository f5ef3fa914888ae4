/** A request whose body is a multipart form. */
export interface FormRequest {
  readonly headers: Headers | Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

/** The form of a request. */
export function formOf({ headers, body }: FormRequest): Promise<FormData> {
  const contentType = headers instanceof Headers ? headers.get('content-type') : headers['content-type']
  return new Response(new Uint8Array(body), { headers: { 'content-type': String(contentType) } }).formData()
}

/** An image as a form contains it. */
export async function uploadedImage(request: FormRequest | undefined, field = 'image') {
  if (!request) throw new Error('no request was sent')
  const file = (await formOf(request)).get(field) as File
  return { filename: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) }
}

/** Bytes of which no two chunks are equal. */
export function noise(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i++) bytes[i] = (i * 2654435761) >>> 24
  return bytes
}

/** Compares bytes, which is faster than a deep comparison. */
export const sameBytes = (a: Uint8Array | undefined, b: Uint8Array | undefined) =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0

/** Splits bytes into chunks of these sizes and a last one with the rest. */
export function split(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  let start = 0
  const chunks = sizes.map((size) => {
    start += size
    return bytes.subarray(start - size, start)
  })
  return [...chunks, bytes.subarray(start)]
}

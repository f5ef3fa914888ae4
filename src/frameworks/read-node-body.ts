import type { Readable } from 'node:stream'
import { BoundedBytes } from '../runtime/bytes.ts'

/** Reads a body and keeps none of it, so that a sender that is still sending reads the response. */
export function drainNodeBody(body: Readable): void {
  body.on('error', () => {}).resume()
}

/** Returns the bytes of a body, or `undefined` if there are more than `maxBytes`; the rest is then drained. */
export function readNodeBody(body: Readable, maxBytes: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the connection was closed'))
    // If the sender disconnected before this call, there are no more events.
    if (body.destroyed) fail()
    const bytes = new BoundedBytes(maxBytes)
    body.on('data', (chunk: Uint8Array) => {
      // Drained and not cut off, because a sender that is still sending would not read the response.
      if (!bytes.add(chunk)) resolve(undefined)
    })
    body.on('end', () => resolve(bytes.join()))
    body.on('error', reject)
    body.on('close', fail)
  })
}

import type { CallFacts } from '../../errors/call-errors.ts'
import type { TransportRequest } from '../transport/transport.ts'
import type { ReadOptions } from './image.ts'

/** How far an upload has come, in bytes of the request's body. */
export interface UploadProgress {
  /** What has gone out. */
  readonly loaded: number
  /** Missing where a stream does not tell its length. */
  readonly total?: number | undefined
}

/** A body ready for one attempt. */
export interface RequestBody {
  readonly data: TransportRequest['body']
  /** Names and values, one after the other. */
  readonly headers: readonly string[]
  /** Of a stream, where it is known. */
  readonly length?: number | undefined
  /** What went wrong while the body was read, which is not the network's fault. */
  readonly fault?: () => unknown
  /** Closes what the attempt left open, such as a file of which half was read. */
  readonly dispose?: () => void
}

/** The body of one logical call, opened anew for each of its attempts. */
export interface BodySource {
  open(boundary: () => Promise<string>, how: ReadOptions): RequestBody | Promise<RequestBody>
  /** False once a stream that can be read one time only has been begun. */
  readonly replayable: boolean
  /** How its images begin: what can be read in a stream is known by nothing else. */
  readonly beginnings?: readonly Uint8Array[]
}

/** What a call with images sends, and how. */
export interface ImageParams {
  readonly params: Readonly<Record<string, unknown>>
  /** Names of the fields that hold images. */
  readonly images: readonly string[]
  readonly encoding: 'multipart' | 'json'
  readonly call: CallFacts
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined
}

export const jsonHeaders = ['content-type', 'application/json'] as const

const nothing: RequestBody = { data: undefined, headers: [] }

export const noBody: BodySource = { open: () => nothing, replayable: true }

export function jsonBody(data: string): BodySource {
  const body: RequestBody = { data, headers: jsonHeaders }
  return { open: () => body, replayable: true }
}

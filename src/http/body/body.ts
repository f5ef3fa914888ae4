import type { CallFacts } from '../../errors/call-errors.ts'
import type { TransportRequest } from '../transport/transport.ts'

/** How much of a request's body has been sent, in bytes. */
export interface UploadProgress {
  /** Bytes sent so far. */
  readonly loaded: number
  /** Bytes of the whole body. Missing if a stream does not say how long it is. */
  readonly total?: number | undefined
}

/** The body of one attempt. */
export interface RequestBody {
  readonly data: TransportRequest['body']
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  /** The length of a stream, if known. */
  readonly length?: number | undefined
  /** Returns why reading the body failed, which is not a failure of the network. */
  readonly fault?: () => unknown
  /** Closes what the attempt left open, such as a file that was read halfway. */
  readonly dispose?: () => void
}

/** The attempt that a body is opened for. */
export interface AttemptContext extends CallFacts {
  boundary(): Promise<string>
}

/** How a body is read. */
export interface ReadOptions {
  /** True if a chunk is still read after the next one was requested, so that its memory cannot be reused yet. */
  readonly keepsChunks: boolean
}

/** The body of a logical call. It is opened again for each attempt. */
export interface BodySource {
  open(attempt: AttemptContext, how: ReadOptions): RequestBody | Promise<RequestBody>
  /** False once a stream that can be read only once has been started. */
  readonly replayable: boolean
}

/** The params of a call with images, and how they are sent. */
export interface ImageParams {
  readonly params: Readonly<Record<string, unknown>>
  /** Names of the fields that contain images. */
  readonly images: readonly string[]
  readonly encoding: 'multipart' | 'json'
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined
}

export const jsonHeaders = ['content-type', 'application/json'] as const

const empty: RequestBody = { data: undefined, headers: [] }

export const noBody: BodySource = { open: () => empty, replayable: true }

export function jsonBody(data: string): BodySource {
  const body: RequestBody = { data, headers: jsonHeaders }
  return { open: () => body, replayable: true }
}

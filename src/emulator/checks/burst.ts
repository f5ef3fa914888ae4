import { frameLimits } from '../../contract/verification/experimental.ts'
import { serviceError } from '../server/service-error.ts'

/**
 * Refuses what holds no image, and a live burst that is none (contract, sections 4.6 and 8). The contract names the
 * limits and the codes, and not which is for what: this follows what their meanings say.
 */
export function requireImages(body: Readonly<Record<string, unknown>>): void {
  if (Object.keys(body).length === 0) throw serviceError('no_images_provided')
  if (body.frames === undefined) return
  // A form with a single file of this name cannot be told from a field: it is a burst of one.
  const frames = typeof body.frames === 'string' ? [body.frames] : body.frames
  if (!Array.isArray(frames) || frames.length === 0) throw serviceError('frames_required')
  if (frames.length > frameLimits.max) throw serviceError('too_many_frames')
  if (frames.length < frameLimits.min) throw serviceError('invalid_frames')
  if (!frames.every((frame) => typeof frame === 'string' && frame !== ''))
    throw serviceError('invalid_frames', { message: 'frames: each must be an image' })
}

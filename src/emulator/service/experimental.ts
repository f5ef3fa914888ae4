import type { Endpoint } from '../../contract/endpoint.ts'
import { anyObject } from '../../contract/schema/schema.ts'
import {
  checkAntispoof,
  checkFaceUniqueness,
  deleteEnrolledFace,
  frameLimits,
  identifyAntispoof,
} from '../../contract/verification/experimental.ts'
import { serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import { type Operation, serve } from './operation.ts'

/**
 * Rejects a body without images, and a live burst with the wrong number of frames (contract, sections 4.6 and 8). The
 * contract documents the limits and the codes, but not which code belongs to which limit. This follows their meanings.
 */
function requireImages(body: Readonly<Record<string, unknown>>): void {
  if (Object.keys(body).length === 0) throw serviceError('no_images_provided')
  if (body.frames === undefined) return
  // In a form, a single file of this name looks like a plain field. It counts as a burst of one frame.
  const frames = typeof body.frames === 'string' ? [body.frames] : body.frames
  if (!Array.isArray(frames) || frames.length === 0) throw serviceError('frames_required')
  if (frames.length > frameLimits.max) throw serviceError('too_many_frames')
  if (frames.length < frameLimits.min) throw serviceError('invalid_frames')
  if (!frames.every((frame) => typeof frame === 'string' && frame !== ''))
    throw serviceError('invalid_frames', { message: 'frames: each must be an image' })
}

/**
 * Serves the endpoints of section 4.6 of the contract. It documents no shapes, so the responses contain only the
 * members that it names. Every face is that of the sample person.
 */
export function experimentalOperations({ faceUuid, enrolledFaces }: ServiceState): Operation[] {
  // Validation by the declared body would report a wrong burst as `validation_error`, but bursts have their own codes.
  const withImages = (endpoint: Endpoint, respond: () => unknown) =>
    serve({ ...endpoint, body: anyObject }, ({ body }) => {
      requireImages(body)
      return respond()
    })

  return [
    withImages(checkAntispoof, () => ({ human_score: 0.99 })),
    withImages(identifyAntispoof, () => ({ human_score: 0.99, uuid: faceUuid })),
    withImages(checkFaceUniqueness, () => {
      enrolledFaces.add(faceUuid)
      return { svc_uuid: faceUuid }
    }),
    serve(deleteEnrolledFace, ({ ids }) => {
      if (!enrolledFaces.delete(ids.svc_uuid ?? '')) throw serviceError('not_found')
      return null
    }),
  ]
}

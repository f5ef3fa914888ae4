import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { anything, listOf } from '../schema/fields.ts'
import { schema } from '../schema/schema.ts'

/** Bounds of a live burst (contract, section 8). */
export const frameLimits = { min: 3, max: 8 } as const

/** The body of an operation of which the contract lists only the path (section 4.6). Open for this reason. */
const experimentalBody = schema(() =>
  z.looseObject({
    frames: z.optional(
      listOf(z.string(), frameLimits, `must contain ${frameLimits.min} to ${frameLimits.max} frames`),
    ),
  }),
)

const experimental = { section: '4.6', status: 'unconfirmed', response: anything } as const

/** The contract names no fields. It calls what antispoof checks a single image or a burst, and a single image is a file. */
const billedPost = {
  ...experimental,
  unnamedImages: 'multipart',
  method: 'POST',
  body: experimentalBody,
  replay: 'with-key',
  billable: true,
} as const

export const checkAntispoof = endpoint({
  ...billedPost,
  operation: 'experimental.antispoof.check',
  errors: ['frames_required', 'too_many_frames', 'invalid_frames'],
  path: '/api/v2/antispoof',
})

export const identifyAntispoof = endpoint({
  ...billedPost,
  operation: 'experimental.antispoof.identity',
  errors: ['frames_required', 'too_many_frames', 'invalid_frames'],
  path: '/api/v2/antispoof/identity',
})

export const checkFaceUniqueness = endpoint({
  ...billedPost,
  unnamedImages: 'json',
  operation: 'experimental.faceUniqueness.check',
  path: '/api/v2/face-uniqueness',
})

export const deleteEnrolledFace = endpoint({
  ...experimental,
  operation: 'experimental.faceUniqueness.delete',
  errors: ['not_found'],
  method: 'DELETE',
  path: '/api/v2/face-uniqueness/{svc_uuid}',
  replay: 'if-not-executed',
})

/** The operations that the contract names by path only. */
export const experimentalEndpoints = [
  checkAntispoof,
  identifyAntispoof,
  checkFaceUniqueness,
  deleteEnrolledFace,
] as const

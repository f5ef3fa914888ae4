import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { anything } from '../schema/fields.ts'
import type { MoreFields } from '../schema/open-types.ts'
import { schema } from '../schema/schema.ts'

/** Bounds of a live burst (contract, section 8). */
export const frameLimits = { min: 3, max: 8 } as const

/** The contract names these operations by their path only (section 4.6): body and answer stay open. */
export interface ExperimentalBody extends MoreFields {
  /** A live burst, each frame base64 or a data URL; 3 to 8 of them. The field's name is not in the contract. */
  readonly frames?: readonly string[] | undefined
}

const frameCount = `must contain ${frameLimits.min} to ${frameLimits.max} frames`

const experimentalBody = schema(() =>
  z.looseObject({
    frames: z.optional(
      z
        .array(z.string())
        .check(z.minLength(frameLimits.min, frameCount), z.maxLength(frameLimits.max, frameCount)),
    ),
  }),
)

const experimental = { section: '4.6', status: 'unconfirmed', response: anything } as const

const billedPost = {
  ...experimental,
  method: 'POST',
  body: experimentalBody,
  replay: 'with-key',
  billable: true,
} as const

export const checkAntispoof = endpoint({
  ...billedPost,
  operation: 'antispoof.check',
  errors: ['frames_required', 'too_many_frames', 'invalid_frames'],
  path: '/api/v2/antispoof',
})

export const identifyAntispoof = endpoint({
  ...billedPost,
  operation: 'antispoof.identity',
  errors: ['frames_required', 'too_many_frames', 'invalid_frames'],
  path: '/api/v2/antispoof/identity',
})

export const checkFaceUniqueness = endpoint({
  ...billedPost,
  operation: 'faceUniqueness.check',
  path: '/api/v2/face-uniqueness',
})

export const deleteEnrolledFace = endpoint({
  ...experimental,
  operation: 'faceUniqueness.delete',
  errors: ['not_found'],
  method: 'DELETE',
  path: '/api/v2/face-uniqueness/{svc_uuid}',
  replay: 'if-not-executed',
})

import { endpoint } from '../endpoint.ts'
import { sizedListOf } from '../schema/collections.ts'
import { anything, type MoreFields } from '../schema/fields.ts'
import { schema } from '../schema/schema.ts'
import * as z from '../schema/zod-core.ts'

/** Bounds of a live burst (contract, section 8). */
export const frameLimits = { min: 3, max: 8 } as const

/** The contract names these operations by their path only (section 4.6): body and answer stay open. */
export interface ExperimentalBody extends MoreFields {
  /** A live burst, each frame base64 or a data URL; 3 to 8 of them. The field's name is not in the contract. */
  readonly frames?: readonly string[] | undefined
}

const openBody = schema(() =>
  z.looseObject({
    frames: z.optional(
      sizedListOf(z.string(), frameLimits, `must hold ${frameLimits.min} to ${frameLimits.max} frames`),
    ),
  }),
)

const namedByPath = { status: 'unconfirmed', response: anything } as const

const billedPost = {
  ...namedByPath,
  method: 'POST',
  body: openBody,
  replay: 'with-key',
  billable: true,
} as const

export const checkAntispoof = endpoint({
  ...billedPost,
  operation: 'antispoof.check',
  path: '/api/v2/antispoof',
})

export const identifyAntispoof = endpoint({
  ...billedPost,
  operation: 'antispoof.identity',
  path: '/api/v2/antispoof/identity',
})

export const checkFaceUniqueness = endpoint({
  ...billedPost,
  operation: 'faceUniqueness.check',
  path: '/api/v2/face-uniqueness',
})

export const deleteEnrolledFace = endpoint({
  ...namedByPath,
  operation: 'faceUniqueness.delete',
  method: 'DELETE',
  path: '/api/v2/face-uniqueness/{svc_uuid}',
  replay: 'when-refused',
})

import type { Endpoint, OperationFacts } from '../endpoint.ts'
import { anything, listOf, schema } from '../schema/schema.ts'
import * as z from '../schema/zod.ts'

/** Bounds of a live burst (contract, section 8). */
export const frameLimits = { min: 3, max: 8 } as const

/** The body of an operation of which the contract lists only the path (section 4.6). Open for this reason. */
const experimentalBody = /* @__PURE__ */ schema(() =>
  z.looseObject({
    frames: z.optional(listOf(z.string(), frameLimits, `must contain ${frameLimits.min} to ${frameLimits.max} frames`)),
  }),
)

const experimental = <const Facts>(facts: Facts) =>
  ({ section: '4.6', unconfirmed: true, response: anything, ...facts }) as const

/**
 * The contract names no fields. These two names are ours: a single image is sent as a file, frames as base64 in JSON.
 */
const billedPost = <const Facts>(facts: Facts) =>
  experimental({
    method: 'POST',
    body: experimentalBody,
    images: ['image'],
    imageLists: ['frames'],
    replay: 'with-key',
    billable: true,
    ...facts,
  })

export const checkAntispoof = /* @__PURE__ */ billedPost({
  operation: 'experimental.antispoof.check',
  errors: ['frames_required', 'too_many_frames', 'invalid_frames'],
  path: '/api/v2/antispoof',
}) satisfies Endpoint

export const identifyAntispoof = /* @__PURE__ */ billedPost({
  operation: 'experimental.antispoof.identity',
  errors: ['frames_required', 'too_many_frames', 'invalid_frames'],
  path: '/api/v2/antispoof/identity',
}) satisfies Endpoint

export const checkFaceUniqueness = /* @__PURE__ */ billedPost({
  operation: 'experimental.faceUniqueness.check',
  path: '/api/v2/face-uniqueness',
}) satisfies Endpoint

export const deleteEnrolledFace = /* @__PURE__ */ experimental({
  operation: 'experimental.faceUniqueness.delete',
  errors: ['not_found'],
  method: 'DELETE',
  path: '/api/v2/face-uniqueness/{svc_uuid}',
  replay: 'if-not-executed',
}) satisfies Endpoint

/** The operations that the contract names by path only, as a type. */
export interface ExperimentalOperations {
  readonly 'experimental.antispoof.check': OperationFacts<
    'POST /api/v2/antispoof',
    'frames_required' | 'too_many_frames' | 'invalid_frames',
    'with-key'
  >
  readonly 'experimental.antispoof.identity': OperationFacts<
    'POST /api/v2/antispoof/identity',
    'frames_required' | 'too_many_frames' | 'invalid_frames',
    'with-key'
  >
  readonly 'experimental.faceUniqueness.check': OperationFacts<'POST /api/v2/face-uniqueness', never, 'with-key'>
  readonly 'experimental.faceUniqueness.delete': OperationFacts<
    'DELETE /api/v2/face-uniqueness/{svc_uuid}',
    'not_found'
  >
}

/** The operations that the contract names by path only. */
export const experimentalEndpoints = [
  checkAntispoof,
  identifyAntispoof,
  checkFaceUniqueness,
  deleteEnrolledFace,
] as const

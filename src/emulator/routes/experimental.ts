import type { Endpoint } from '../../contract/endpoint.ts'
import { anyObject } from '../../contract/schema/fields.ts'
import {
  checkAntispoof,
  checkFaceUniqueness,
  deleteEnrolledFace,
  identifyAntispoof,
} from '../../contract/verification/experimental.ts'
import { requireImages } from '../checks/burst.ts'
import { type Operation, serve } from '../server/operation.ts'
import { serviceError } from '../server/service-error.ts'
import type { ServiceState } from '../state/service-state.ts'

/**
 * Contract, section 4.6, which shows no shapes: the answers hold what it names, and no more. Every face is the
 * sample person's.
 */
export function experimentalOperations({ faceUuid, enrolledFaces }: ServiceState): Operation[] {
  // The declared body would refuse a burst as any other mistake: it has codes of its own.
  const withImages = (endpoint: Endpoint, answer: () => unknown) =>
    serve({ ...endpoint, body: anyObject }, ({ body }) => {
      requireImages(body)
      return answer()
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

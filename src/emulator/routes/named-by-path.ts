import {
  checkAntispoof,
  checkFaceUniqueness,
  deleteEnrolledFace,
  identifyAntispoof,
} from '../../contract/experimental.ts'
import { type Operation, serve } from '../operation.ts'
import { refuse } from '../refusal.ts'
import type { ServiceState } from '../state/service-state.ts'

/**
 * Contract, section 4.6, which shows no shapes: the answers hold what it names, and no more. Every face is the
 * sample person's.
 */
export function operationsNamedByPath({ faceUuid, enrolledFaces }: ServiceState): Operation[] {
  return [
    serve(checkAntispoof, () => ({ human_score: 0.99 })),
    serve(identifyAntispoof, () => ({ human_score: 0.99, uuid: faceUuid })),
    serve(checkFaceUniqueness, () => {
      enrolledFaces.add(faceUuid)
      return { svc_uuid: faceUuid }
    }),
    serve(deleteEnrolledFace, ({ ids }) => {
      if (!enrolledFaces.delete(ids.svc_uuid ?? '')) throw refuse('not_found')
      return null
    }),
  ]
}

import type { CheckType } from '../../contract/verification/check-data.ts'
import type { CheckFor } from '../../contract/verification/check-results.ts'
import {
  acceptedAgeParams,
  ageVerification,
  faceMatch,
  idVerification,
  liveness,
  locationCheck,
} from '../../contract/verification/checks.ts'
import { checkAge } from '../model/checks/age.ts'
import { checkLocation } from '../model/checks/location.ts'
import { withOutcome } from '../model/checks/outcome.ts'
import { passedCheck } from '../model/checks/samples.ts'
import type { ServiceState } from '../model/service-state.ts'
import { type Operation, serve } from './operation.ts'

/** Serves the standalone checks, except the two that look up a license (contract, section 4.3). */
export function checkOperations({ outcomes, checkLog, random, clock }: ServiceState): Operation[] {
  const result = <Type extends CheckType>(natural: CheckFor<Type>) => {
    const check = withOutcome(natural, outcomes.take(natural.type))
    return checkLog.record({ session_id: random.id('sess_'), status: check.status, check }, [check])
  }

  return [
    serve(idVerification, () => result(passedCheck('id_verification', clock.now()))),
    serve(liveness, () => result(passedCheck('liveness', clock.now()))),
    serve(faceMatch, () => result(passedCheck('face_match', clock.now()))),
    serve({ ...ageVerification, body: acceptedAgeParams }, ({ body }) => result(checkAge(body, clock.now()))),
    serve(locationCheck, ({ body }) => result(checkLocation(body, clock.now())), {
      // A device without a GPS fix may report null. That is a failed check, not an invalid request (section 4.3).
      nullable: ['latitude', 'longitude', 'accuracy'],
    }),
  ]
}

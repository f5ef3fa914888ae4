import { listProviders, listStates } from '../../contract/verification/credentials.ts'
import { providers, states } from '../checks/license-board.ts'
import { type Operation, serve } from '../server/operation.ts'
import { serviceError } from '../server/service-error.ts'

/** Contract, section 4.5. */
export const discoveryOperations: readonly Operation[] = [
  serve(listStates, () => [...states]),
  serve(listProviders, ({ ids }) => {
    const code = ids.state?.toUpperCase()
    // Only jurisdictions with a provider are listed, so one without any is unknown.
    if (!states.some(({ state_code }) => state_code === code)) throw serviceError('not_found')
    return providers.filter(({ state_code }) => state_code === code)
  }),
]

import { listProviders, listStates } from '../../contract/credentials.ts'
import { providers, states } from '../license-board.ts'
import { type Operation, serve } from '../operation.ts'
import { refuse } from '../refusal.ts'

/** Contract, section 4.5. */
export const discoveryOperations: readonly Operation[] = [
  serve(listStates, () => [...states]),
  serve(listProviders, ({ ids }) => {
    const code = ids.state?.toUpperCase()
    // Only jurisdictions with a provider are listed, so one without any is unknown.
    if (!states.some(({ state_code }) => state_code === code)) throw refuse('not_found')
    return providers.filter(({ state_code }) => state_code === code)
  }),
]

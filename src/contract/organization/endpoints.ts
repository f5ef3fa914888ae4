import type { Endpoint } from '../endpoint.ts'
import { billingEndpoints } from './billing.ts'
import { memberEndpoints } from './members.ts'

/** Every operation of the organization API. */
export const organizationEndpoints: readonly Endpoint[] = [...memberEndpoints, ...billingEndpoints]

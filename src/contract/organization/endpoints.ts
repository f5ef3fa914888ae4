import { billingEndpoints } from './billing.ts'
import { memberEndpoints } from './members.ts'

/** Every operation of the organization API. */
export const organizationEndpoints = [...memberEndpoints, ...billingEndpoints] as const

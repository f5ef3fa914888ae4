import { billingEndpoints } from './billing.ts'
import { memberEndpoints } from './members.ts'

/** Every operation of the organization API. */
export const organizationEndpoints = /* @__PURE__ */ [memberEndpoints, billingEndpoints].flat()

import { checkEndpoints } from './checks.ts'
import { credentialEndpoints } from './credentials.ts'
import { experimentalEndpoints } from './experimental.ts'
import { sessionEndpoints } from './sessions.ts'
import { workflowEndpoints } from './workflows.ts'

/** Every operation of the verification API. */
export const verificationEndpoints = /* @__PURE__ */ [
  sessionEndpoints,
  checkEndpoints,
  credentialEndpoints,
  workflowEndpoints,
  experimentalEndpoints,
].flat()
